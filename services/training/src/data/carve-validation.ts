import { hash } from 'node:crypto'
import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'

/** Fewest examples to validate with. */
const minValidation = 10
const validationShare = 0.05
/** Conversations of a step, which takes a few milliseconds. */
const stepLength = 1_000

/**
 * Chooses the conversations that are validated with and not trained on: about 5 % of the examples. The same conversations and
 * seed give the same choice. Takes steps of some milliseconds.
 *
 * @param roots the conversation of each example
 * @returns the chosen conversations; none when they would have fewer than ten examples
 */
export function* carveValidation(roots: readonly string[], seed: number): Generator<void, ReadonlySet<string>> {
  const sizes = new Map<string, number>()
  for (const [index, root] of roots.entries()) {
    sizes.set(root, (sizes.get(root) ?? 0) + 1)
    if (index % stepLength === 0) yield
  }
  const target = Math.floor(roots.length * validationShare)
  // Each place is computed once: a comparison that computes two would keep the process busy for many seconds.
  const places: { readonly root: string; readonly size: number; readonly place: string }[] = []
  for (const [root, size] of sizes) {
    places.push({ root, size, place: placeOf(root, seed) })
    if (places.length % stepLength === 0) yield
  }
  const order = yield* sortInSteps(places, (left, right) => (left.place < right.place ? -1 : 1))
  const chosen = new Set<string>()
  let examples = 0
  for (const { root, size } of order) {
    if (examples + size > target) continue
    chosen.add(root)
    examples += size
  }
  return examples < minValidation ? new Set() : chosen
}

function placeOf(root: string, seed: number): string {
  return hash('sha256', `${seed} ${root}`, 'hex')
}
