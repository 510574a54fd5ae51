import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { mapInSteps } from './in-steps.ts'
import { chainHash } from './message-identity.ts'

export interface SplitOptions {
  /** Percentage of the items to hold out, a whole number from 0 to 99. */
  readonly holdoutPct: number
  readonly seed: number
}

/**
 * Holds out whole groups until about `holdoutPct` percent of the items are held out, in the order of the hash of their
 * names with the seed. It never exceeds the percentage, except to hold out at least one group, and never takes all.
 *
 * @returns the names of the groups that are held out
 */
export function* splitHoldout(
  sizes: ReadonlyMap<string, number>,
  { holdoutPct, seed }: SplitOptions,
): Generator<void, ReadonlySet<string>> {
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const requested = Math.min(total - 1, Math.max(1, Math.round((total * holdoutPct) / 100)))
  const held = new Set<string>()
  if (holdoutPct === 0 || sizes.size < 2) return held
  const drawn = yield* drawOrder([...sizes.keys()], seed)
  let count = 0
  for (const name of drawn) {
    yield
    const size = sizes.get(name) ?? 0
    if (count + size > requested) continue
    held.add(name)
    count += size
  }
  if (held.size > 0) return held
  const smallest = Math.min(...new Set(sizes.values()))
  return new Set(drawn.filter((name) => sizes.get(name) === smallest).slice(0, 1))
}

/** Orders the names by a hash that depends only on them and the seed. Yields from time to time. */
export function* drawOrder(names: readonly string[], seed: number): Generator<void, readonly string[]> {
  const keyed = yield* mapInSteps(names, (name) => ({ name, key: chainHash(String(seed), name) }))
  const drawn = yield* sortInSteps(keyed, (a, b) => (a.key < b.key ? -1 : 1))
  return drawn.map(({ name }) => name)
}
