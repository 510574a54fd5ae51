import { requireEach, requireRate } from './require-arguments.ts'

/**
 * p-values adjusted for the number of comparisons: comparing each with α keeps the probability of any false one below α.
 *
 * @param pValues each 0..1
 * @returns in the order given, each 0..1 and at least the raw one
 * @throws RangeError when a p-value is out of range
 * @see Holm 1979, https://www.jstor.org/stable/4615733
 * @example holmAdjust([0.012, 0.04, 0.03]) // [0.036, 0.06, 0.06]
 */
export function holmAdjust(pValues: readonly number[]): number[] {
  requireEach('pValues', pValues, requireRate)
  const adjusted = new Array<number>(pValues.length)
  const ascending = pValues.map((p, index) => ({ p, index })).sort((one, other) => one.p - other.p)
  let largest = 0
  for (const [rank, { p, index }] of ascending.entries()) {
    largest = Math.min(1, Math.max(largest, p * (pValues.length - rank)))
    adjusted[index] = largest
  }
  return adjusted
}
