import type { Interval } from './interval.ts'
import { requireAmount, requireFinite, requireInnerRate, requirePositive } from './require-arguments.ts'

export interface SequenceOptions {
  /** Probability that the sequence ever excludes the true value, between 0 and 1; 0.05 when absent. */
  readonly alpha?: number
  /** The sample size at which the sequence is narrowest; 100 when absent. Fix it before the first interim look. */
  readonly tightestAt?: number
}

/** Smaller variances count as this one, so that a sequence of equal outcomes still has a width. */
export const MIN_VARIANCE = 1e-6

/**
 * Confidence sequence of a mean: valid at all sample sizes together, so the data may be read after every value and sampling
 * may stop at any time. Asymptotic: do not decide with fewer than about 50 values.
 *
 * @param sample mean and variance of n values, n ≥ 1; in the unit of the values
 * @throws RangeError when an argument is out of range
 * @see Waudby-Smith et al. 2024, doi:10.1214/24-AOS2408, arXiv:2103.06476
 */
export function asymptoticConfidenceSequence(
  sample: { readonly mean: number; readonly variance: number; readonly n: number },
  options: SequenceOptions = {},
): Interval {
  requireFinite('mean', sample.mean)
  const margin = asymptoticMargin(sample, options)
  return { low: sample.mean - margin, high: sample.mean + margin }
}

/** Half the width of `asymptoticConfidenceSequence`. */
export function asymptoticMargin(
  sample: { readonly variance: number; readonly n: number },
  { alpha = 0.05, tightestAt = 100 }: SequenceOptions = {},
): number {
  const { variance, n } = sample
  requireAmount('variance', variance)
  requirePositive('n', n)
  const rho = sequenceRho(tightestAt, alpha)
  const scaled = n * Math.max(variance, MIN_VARIANCE) * rho ** 2 + 1
  return Math.sqrt((scaled / (n * rho) ** 2) * Math.log(scaled / alpha ** 2))
}

/** The tuning constant ρ that makes the sequence narrowest at a sample size, for values of variance 1. */
export function sequenceRho(tightestAt: number, alpha = 0.05): number {
  requirePositive('tightestAt', tightestAt)
  requireInnerRate('alpha', alpha)
  const twiceLog = -2 * Math.log(alpha)
  return Math.sqrt((twiceLog + Math.log(twiceLog) + 1) / tightestAt)
}
