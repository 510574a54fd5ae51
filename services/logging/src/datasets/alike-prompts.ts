import { likeness } from './prompt-sketch.ts'

/** Finds prompts that are alike among those that were added. Memory grows with the number of prompts, time too. */
export interface AlikePrompts {
  /** Indexes of added prompts that may be alike, at most {@link maxCompared}. */
  candidates(hashes: Uint32Array): ReadonlySet<number>
  add(hashes: Uint32Array, index: number): void
}

/** Thousands of similar prompts share hashes. Comparing with only a few of them keeps the time linear. */
const maxCompared = 24
const walkedPerHash = 6
/** Slots of the tables: eight for each hash, as a power of two, so that few hashes share one. */
const slotsPerHash = 8
const [minSlots, maxSlots] = [2 ** 10, 2 ** 20]
/** More than a prompt has hashes. */
const maxPlaces = 2 ** 16

/** Prompts that are compared before others get a turn, which takes about 1 ms. */
export const stepSize = 10

/**
 * Creates an index over the rarest hashes of each prompt: two sets with a common share of `least` share one of these.
 * Yields from time to time.
 *
 * @param all the prompts whose hashes are counted, to know which are rare
 * @param least the smallest likeness that must be found, 0 to 1
 * @see Chaudhuri, Ganti, Kaushik, "A primitive operator for similarity joins in data cleaning" (2006): prefix filter
 */
export function* createAlikePrompts(all: readonly Uint32Array[], least: number): Generator<void, AlikePrompts> {
  // Clearing tables for a million hashes takes most of the time that a small log needs.
  const slots = slotsFor(all.reduce((count, hashes) => count + hashes.length, 0))
  const frequency = new Uint32Array(slots)
  let total = 0
  for (const [at, hashes] of all.entries()) {
    if (at % stepSize === 0) yield
    total += prefixLength(hashes.length, least)
    for (const each of hashes) frequency[each % slots] = (frequency[each % slots] ?? 0) + 1
  }
  // Lists of prompts by hash, the last one first: a head for each slot, and the entry that follows each entry.
  const heads = new Int32Array(slots).fill(-1)
  const following = new Int32Array(total)
  const owners = new Int32Array(total)
  let entries = 0
  // One number per hash, its frequency before its place, sorts faster than a comparison of two.
  let ranks = new Float64Array(128)
  const prefixOf = (hashes: Uint32Array) => {
    if (hashes.length > ranks.length) ranks = new Float64Array(hashes.length)
    const ranked = ranks.subarray(0, hashes.length)
    for (const [at, each] of hashes.entries()) ranked[at] = (frequency[each % slots] ?? 0) * maxPlaces + at
    return Array.from(
      ranked.sort().subarray(0, prefixLength(hashes.length, least)),
      (rank) => hashes[rank % maxPlaces] ?? 0,
    )
  }
  return {
    candidates(hashes) {
      const found = new Set<number>()
      for (const each of prefixOf(hashes)) {
        let entry = heads[each % slots] ?? -1
        for (let walked = 0; entry !== -1 && walked < walkedPerHash && found.size < maxCompared; walked++) {
          found.add(owners[entry] ?? 0)
          entry = following[entry] ?? -1
        }
      }
      return found
    },
    add(hashes, index) {
      for (const each of prefixOf(hashes)) {
        owners[entries] = index
        following[entries] = heads[each % slots] ?? -1
        heads[each % slots] = entries
        entries += 1
      }
    },
  }
}

function slotsFor(hashes: number): number {
  return Math.min(maxSlots, Math.max(minSlots, 2 ** Math.ceil(Math.log2(Math.max(1, hashes * slotsPerHash)))))
}

function prefixLength(size: number, least: number): number {
  return size === 0 ? 0 : size - Math.ceil(size * least) + 1
}

/**
 * The likeness of the most similar of `others` to each of `prompts`, 0 if none was found at `least` or above. Yields from
 * time to time, so that its caller can do something else.
 */
export function* nearestLikeness(
  prompts: readonly Uint32Array[],
  others: readonly Uint32Array[],
  least: number,
): Generator<void, readonly number[]> {
  const index = yield* createAlikePrompts(others, least)
  for (const [at, hashes] of others.entries()) {
    index.add(hashes, at)
    if (at % stepSize === 0) yield
  }
  const nearest: number[] = []
  for (const hashes of prompts) {
    const found = [...index.candidates(hashes)].map((at) => likeness(hashes, others[at] ?? new Uint32Array()))
    nearest.push(Math.max(0, ...found))
    if (nearest.length % stepSize === 0) yield
  }
  return nearest
}
