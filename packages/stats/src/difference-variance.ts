import { MIN_VARIANCE } from './asymptotic-confidence-sequence.ts'

/**
 * Variance of the difference of two independent proportions times the number of all trials, for `asymptoticConfidenceSequence`.
 *
 * @param arms both rates 0..1, and the share of the trials that the first arm gets, between 0 and 1
 */
export function differenceVariance(arms: {
  readonly rate1: number
  readonly rate2: number
  readonly share1: number
}): number {
  const { rate1, rate2, share1 } = arms
  return Math.max(MIN_VARIANCE, (rate1 * (1 - rate1)) / share1 + (rate2 * (1 - rate2)) / (1 - share1))
}
