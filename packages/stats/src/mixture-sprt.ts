import { MIN_VARIANCE } from './asymptotic-confidence-sequence.ts'
import { requireInnerRate, requirePositive, requireRate } from './require-arguments.ts'

export interface MixtureSprt {
  /** Variance of one pair of outcomes. */
  readonly variance: number
  /** Likelihood ratio of the mixture to "no difference"; keep its running maximum. */
  readonly likelihoodRatio: number
  /** Always-valid p-value of this interim look alone, 0..1; that of a run is min(1, 1/max likelihood ratio). */
  readonly p: number
  /** Half the width of the confidence sequence of the difference. */
  readonly halfWidth: number
}

/**
 * Mixture sequential probability ratio test of two proportions with arms of equal size.
 *
 * @param arms rates 0..1 and the number of trials of each arm, ≥ 1
 * @param options.tauSquared variance of the expected differences; fix it before the first interim look
 * @param options.alpha of the confidence sequence; 0.05 when absent
 * @throws RangeError when an argument is out of range
 * @see Johari et al. 2022, doi:10.1287/opre.2021.2135, arXiv:1512.04922
 */
export function mixtureSprt(
  arms: { readonly rate1: number; readonly rate2: number; readonly trialsPerArm: number },
  { tauSquared, alpha = 0.05 }: { readonly tauSquared: number; readonly alpha?: number },
): MixtureSprt {
  const { rate1, rate2, trialsPerArm: n } = arms
  requireRate('rate1', rate1)
  requireRate('rate2', rate2)
  requirePositive('trialsPerArm', n)
  requirePositive('tauSquared', tauSquared)
  requireInnerRate('alpha', alpha)
  const variance = Math.max(MIN_VARIANCE, rate1 * (1 - rate1) + rate2 * (1 - rate2))
  const total = variance + n * tauSquared
  const logShrink = 0.5 * Math.log(variance / total)
  const perSquare = (n * n * tauSquared) / (2 * variance * total)
  const logRatio = logShrink + perSquare * (rate1 - rate2) ** 2
  const halfWidth = Math.sqrt((-Math.log(alpha) - logShrink) / perSquare)
  return { variance, likelihoodRatio: Math.exp(logRatio), p: Math.min(1, Math.exp(-logRatio)), halfWidth }
}
