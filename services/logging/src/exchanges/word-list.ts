import { randomBytes } from 'node:crypto'

const randomOdd = () => randomBytes(4).readInt32LE() | 1
const multipliers = { first: randomOdd(), second: randomOdd(), third: randomOdd() }

const fewestSlots = 8_192
/** Numbers of a slot: the three of the word, then these. */
const slotSize = 8
const workspaceAt = 3
/** The exchange that had the word last; 0 in a free slot. */
const roundAt = 4
/** The halves of the number. */
const highAt = 5
const lowAt = 6

/**
 * The distinct words of one exchange after another, as the numbers of their hashes. It remembers the numbers of words,
 * because most words of an exchange were in one before. A word of at most eleven bytes is given as its bytes, a longer
 * one as its hash.
 */
export class WordList {
  #slots = new Int32Array(fewestSlots * slotSize)
  #used = 0
  /** The list of this exchange, and its halves: the low one of each number first. */
  #list = new BigInt64Array(1_024)
  #halves = new Int32Array(this.#list.buffer)
  #round = 1
  #workspace = 0
  /** The slot of the word whose number is to be learnt. */
  #unknown = 0
  #distinct = 0

  /** Begins the list of an exchange. @param workspace numbers differ between workspaces, like the hashes */
  begin(workspace: number): void {
    this.#round = (this.#round + 1) | 0 || 1
    this.#workspace = workspace
    this.#distinct = 0
  }

  /** @returns true when the word is not remembered: then {@link learn} must be called next */
  add(first: number, second: number, third: number): boolean {
    const slot = this.#slotOf(first, second, third)
    const slots = this.#slots
    const last = slots[slot + roundAt] as number
    if (last === this.#round) return false
    slots[slot + roundAt] = this.#round
    if (last !== 0) {
      this.#append(slots[slot + highAt] as number, slots[slot + lowAt] as number)
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
    this.#slots[this.#unknown + highAt] = high
    this.#slots[this.#unknown + lowAt] = low
    this.#append(high, low)
    this.#used += 1
    if (this.#used * slotSize * 2 > this.#slots.length) this.#makeRoom()
  }

  /** Number of distinct words of this exchange. */
  get count(): number {
    return this.#distinct
  }

  /** The numbers in the order in which their words were added. */
  toArray(): BigInt64Array {
    return this.#list.slice(0, this.#distinct)
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

  #append(high: number, low: number): void {
    if (this.#distinct === this.#list.length) {
      const longer = new BigInt64Array(this.#list.length * 2)
      longer.set(this.#list)
      this.#list = longer
      this.#halves = new Int32Array(longer.buffer)
    }
    this.#halves[this.#distinct * 2] = low
    this.#halves[this.#distinct * 2 + 1] = high
    this.#distinct += 1
  }

  /** Forgets the words of earlier exchanges, and makes room for at least twice those of this one. */
  #makeRoom(): void {
    const slots = this.#slots
    let count = fewestSlots
    while (count < this.#distinct * 4) count *= 2
    this.#slots = new Int32Array(count * slotSize)
    this.#used = this.#distinct
    for (let old = 0; old < slots.length; old += slotSize) {
      if (slots[old + roundAt] === this.#round) this.#keep(slots.subarray(old, old + slotSize))
    }
  }

  #keep(word: Int32Array): void {
    const slot = this.#slotOf(word[0] as number, word[1] as number, word[2] as number)
    this.#slots.set(word, slot)
  }
}

/** The multipliers are odd and secret, so that nobody can choose words that share a slot. */
function mix(first: number, second: number, third: number): number {
  const sum =
    Math.imul(first ^ (first >>> 15), multipliers.first) +
    Math.imul(second ^ (second >>> 15), multipliers.second) +
    Math.imul(third, multipliers.third)
  return (sum ^ (sum >>> 15)) >>> 12
}
