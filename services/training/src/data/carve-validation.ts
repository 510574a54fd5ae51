import { hash } from 'node:crypto'

/** Fewest examples to validate with. */
const minValidation = 10
const validationShare = 0.05

/**
 * Chooses the conversations that are validated with and not trained on: about 5 % of the examples. The same conversations and
 * seed give the same choice.
 *
 * @param roots the conversation of each example
 * @returns the chosen conversations; none when they would have fewer than ten examples
 */
export function carveValidation(roots: readonly string[], seed: number): ReadonlySet<string> {
  const sizes = new Map<string, number>()
  for (const root of roots) sizes.set(root, (sizes.get(root) ?? 0) + 1)
  const target = Math.floor(roots.length * validationShare)
  // Each place is computed once: a comparison that computes two would keep the process busy for many seconds.
  const order = Array.from(sizes, ([root, size]) => ({ root, size, place: placeOf(root, seed) }))
  order.sort((left, right) => (left.place < right.place ? -1 : 1))
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
