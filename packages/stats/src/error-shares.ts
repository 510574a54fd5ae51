import { requireEach } from './require-arguments.ts'

/** A hypothesis among those that appear one after the other. */
export interface AppearingHypothesis {
  /** Its place in the order of appearance, from 1; the order must not depend on results. */
  readonly place: number
  readonly isRejected: boolean
}

/**
 * Shares of one error rate for hypotheses that appear one after the other, without knowing how many there will be. The i-th
 * has 1/(i(i + 1)), which sums to 1 over any number. The shares of rejected hypotheses pass to the others in proportion
 * (Holm's method with weights). When each of the others is rejected at its e-value of 1/(share · alpha), the chance that a
 * true one is ever rejected is at most alpha, at any number of interim looks and whatever the dependence: before the first
 * such error only false ones have passed on their shares, so the shares of the true ones sum to at most 1.
 *
 * @returns for each hypothesis its share, between 0 and 1; that of a rejected one is the share that it had at first
 * @throws RangeError when a place is not a whole number from 1
 * @see Holm 1979, https://www.jstor.org/stable/4615733; Bretz et al. 2009, doi:10.1002/sim.3495
 */
export function errorShares(hypotheses: readonly AppearingHypothesis[]): readonly number[] {
  requireEach(
    'places',
    hypotheses.map(({ place }) => place),
    requirePlace,
  )
  const first = hypotheses.map(({ place }) => 1 / (place * (place + 1)))
  const passedOn = hypotheses.reduce((sum, { isRejected }, at) => sum + (isRejected ? (first[at] ?? 0) : 0), 0)
  return hypotheses.map(({ isRejected }, at) => (isRejected ? (first[at] ?? 0) : (first[at] ?? 0) / (1 - passedOn)))
}

function requirePlace(name: string, place: number): void {
  if (!Number.isInteger(place) || place < 1) throw new RangeError(`${name} must be whole numbers from 1`)
}
