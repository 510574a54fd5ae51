import { randomBytes } from 'node:crypto'
import type { Hash64 } from './lookup3.ts'

/** Keeps callers from choosing words that share a slot. */
const secret = randomBytes(4).readInt32LE()

/** A set of 64-bit hashes that is filled and read again and again without new memory. */
export interface Hash64Set {
  clear(): void
  add(hash: Readonly<Hash64>): void
  /** As signed numbers, in the order in which they were added. */
  toArray(): BigInt64Array
}

export function createHash64Set(): Hash64Set {
  let hashes = new BigInt64Array(1_024)
  let halves = new Int32Array(hashes.buffer)
  let count = 0
  /** Indexes in `hashes`, by some bits of a hash. A slot is in use if its round is the current one. */
  let slots = new Int32Array(4_096)
  let rounds = new Int32Array(4_096)
  let round = 1

  /** The slot of this hash, or the free one where it belongs. */
  function slotOf(high: number, low: number): number {
    for (let slot = firstSlot(low, slots.length); ; slot = (slot + 1) & (slots.length - 1)) {
      if (rounds[slot] !== round) return slot
      const at = (slots[slot] as number) * 2
      if (halves[at] === low && halves[at + 1] === high) return slot
    }
  }

  function occupy(slot: number, index: number): void {
    rounds[slot] = round
    slots[slot] = index
  }

  function grow(): void {
    const longer = new BigInt64Array(hashes.length * 2)
    longer.set(hashes)
    hashes = longer
    halves = new Int32Array(hashes.buffer)
    slots = new Int32Array(slots.length * 2)
    rounds = new Int32Array(slots.length)
    for (let index = 0; index < count; index++) {
      occupy(slotOf(halves[index * 2 + 1] as number, halves[index * 2] as number), index)
    }
  }

  return {
    clear() {
      round = (round + 1) | 0
      count = 0
    },
    add({ high, low }) {
      if (count === hashes.length) grow()
      const slot = slotOf(high, low)
      if (rounds[slot] === round) return
      occupy(slot, count)
      halves[count * 2] = low
      halves[count * 2 + 1] = high
      count += 1
    },
    toArray: () => hashes.slice(0, count),
  }
}

/** @param count a power of two */
function firstSlot(low: number, count: number): number {
  return Math.imul(low ^ secret, 0x9e3779b1) >>> (Math.clz32(count) + 1)
}
