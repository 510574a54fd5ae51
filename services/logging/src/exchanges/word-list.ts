import { randomBytes } from 'node:crypto'
import { longestNumber, writeNumber } from './write-number.ts'

const randomOdd = () => randomBytes(4).readInt32LE() | 1
const multipliers = { first: randomOdd(), second: randomOdd(), third: randomOdd() }

const fewestSlots = 8_192
/** Numbers of a slot: the three of the word, then these. */
const slotSize = 8
const workspaceAt = 3
/** The exchange that had the word last; 0 in a free slot. */
const roundAt = 4
/** Where the number's text begins and ends. */
const startAt = 5
const endAt = 6
const comma = 0x2c

/**
 * The distinct words of one exchange after another, as the numbers of their hashes. It remembers the numbers of words,
 * because most words of an exchange were in one before. A word of at most eleven bytes is given as its bytes, a longer
 * one as its hash.
 */
export class WordList {
  #slots = new Int32Array(fewestSlots * slotSize)
  #used = 0
  /** The texts of the numbers of all slots. */
  #texts = textsFor(fewestSlots)
  #textsEnd = 0
  /** The list of this exchange, each number behind a comma. */
  #list = new Uint8Array(16_384)
  #listEnd = 0
  #round = 1
  #workspace = 0
  /** The slot of the word whose number is to be learnt. */
  #unknown = 0
  #distinct = 0

  /** Begins the list of an exchange. @param workspace numbers differ between workspaces, like the hashes */
  begin(workspace: number): void {
    this.#round = (this.#round + 1) | 0 || 1
    this.#workspace = workspace
    this.#listEnd = 0
    this.#distinct = 0
  }

  /** @returns true when the word is not remembered: then {@link learn} must be called next */
  add(first: number, second: number, third: number): boolean {
    const slot = this.#slotOf(first, second, third)
    const slots = this.#slots
    const last = slots[slot + roundAt] as number
    if (last === this.#round) return false
    this.#distinct += 1
    slots[slot + roundAt] = this.#round
    if (last !== 0) {
      this.#append(slots[slot + startAt] as number, slots[slot + endAt] as number)
      return false
    }
    slots[slot] = first
    slots[slot + 1] = second
    slots[slot + 2] = third
    slots[slot + workspaceAt] = this.#workspace
    this.#unknown = slot
    return true
  }

  learn(high: number, low: number): void {
    const start = this.#textsEnd
    const end = writeNumber(this.#texts, start, high, low)
    this.#slots[this.#unknown + startAt] = start
    this.#slots[this.#unknown + endAt] = end
    this.#textsEnd = end
    this.#append(start, end)
    this.#used += 1
    if (this.#used * slotSize * 2 > this.#slots.length) this.#makeRoom()
  }

  /** The numbers as a Postgres array literal, in the order in which their words were added. */
  toLiteral(): string {
    return `{${Buffer.from(this.#list.buffer).toString('latin1', 1, Math.max(1, this.#listEnd))}}`
  }

  /** Where the word is, or the free slot where it belongs. */
  #slotOf(first: number, second: number, third: number): number {
    const slots = this.#slots
    const workspace = this.#workspace
    const last = slots.length - slotSize
    let slot = (mix(first, second, third) * slotSize) & last
    while (slots[slot + roundAt] !== 0) {
      const isSame =
        slots[slot] === first &&
        slots[slot + 1] === second &&
        slots[slot + 2] === third &&
        slots[slot + workspaceAt] === workspace
      if (isSame) break
      slot = (slot + slotSize) & last
    }
    return slot
  }

  #append(start: number, end: number): void {
    if (this.#listEnd + longestNumber >= this.#list.length) {
      const longer = new Uint8Array(this.#list.length * 2)
      longer.set(this.#list)
      this.#list = longer
    }
    const list = this.#list
    const texts = this.#texts
    let listEnd = this.#listEnd
    list[listEnd++] = comma
    for (let at = start; at < end; at++) list[listEnd++] = texts[at] as number
    this.#listEnd = listEnd
  }

  /** Forgets the words of earlier exchanges, and makes room for at least twice those of this one. */
  #makeRoom(): void {
    const [slots, texts] = [this.#slots, this.#texts]
    let count = fewestSlots
    while (count < this.#distinct * 4) count *= 2
    this.#slots = new Int32Array(count * slotSize)
    this.#texts = textsFor(count)
    this.#textsEnd = 0
    this.#used = this.#distinct
    for (let old = 0; old < slots.length; old += slotSize) {
      if (slots[old + roundAt] === this.#round) this.#keep(slots.subarray(old, old + slotSize), texts)
    }
  }

  #keep(word: Int32Array, texts: Uint8Array): void {
    const slot = this.#slotOf(word[0] as number, word[1] as number, word[2] as number)
    const text = texts.subarray(word[startAt], word[endAt])
    this.#texts.set(text, this.#textsEnd)
    this.#slots.set(word, slot)
    this.#slots[slot + startAt] = this.#textsEnd
    this.#textsEnd += text.length
    this.#slots[slot + endAt] = this.#textsEnd
  }
}

/** Memory for the texts of the words that so many slots may have, which is half of them. */
function textsFor(slots: number): Uint8Array {
  return new Uint8Array((slots / 2 + 2) * longestNumber)
}

/** The multipliers are odd and secret, so that nobody can choose words that share a slot. */
function mix(first: number, second: number, third: number): number {
  const sum =
    Math.imul(first ^ (first >>> 15), multipliers.first) +
    Math.imul(second ^ (second >>> 15), multipliers.second) +
    Math.imul(third, multipliers.third)
  return (sum ^ (sum >>> 15)) >>> 12
}
