import { asymptoticConfidenceSequence, MIN_VARIANCE, type SequenceOptions } from './asymptotic-confidence-sequence.ts'
import type { RateDifference } from './corrected-difference.ts'
import { requireTwoProportions, type TwoProportions } from './two-proportions.ts'

/**
 * Difference of two independent proportions, first minus second, with a confidence sequence, which is valid after every
 * verdict. Asymptotic: do not decide with fewer than 50 trials in an arm; 100 are better.
 *
 * @returns the bounds may lie outside of -1..1; null when a group has no trials
 * @throws RangeError when an argument is out of range
 * @see Waudby-Smith et al. 2024, doi:10.1214/24-AOS2408, arXiv:2103.06476
 */
export function asymptoticDifference(groups: TwoProportions, options: SequenceOptions = {}): RateDifference | null {
  requireTwoProportions(groups)
  const { successes1, trials1, successes2, trials2 } = groups
  if (trials1 === 0 || trials2 === 0) return null
  const rate1 = successes1 / trials1
  const rate2 = successes2 / trials2
  const difference = rate1 - rate2
  const variance = differenceVariance({ rate1, rate2, share1: trials1 / (trials1 + trials2) })
  const n = trials1 + trials2
  return { difference, interval: asymptoticConfidenceSequence({ mean: difference, variance, n }, options) }
}

/** Variance of the difference times the number of all trials, when one arm gets a share of them. */
export function differenceVariance(arms: {
  readonly rate1: number
  readonly rate2: number
  readonly share1: number
}): number {
  const { rate1, rate2, share1 } = arms
  return Math.max(MIN_VARIANCE, (rate1 * (1 - rate1)) / share1 + (rate2 * (1 - rate2)) / (1 - share1))
}
