import { requireAmount, requireFinite, requireInnerRate, requireRate } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'

/** A pass rate that was corrected or measured, with its standard error. */
export interface RateEstimate {
  /** May lie a little outside of 0..1 when it is a corrected one. */
  readonly rate: number
  readonly standardError: number
}

/**
 * `qualityDrop` for two rates of different origin, such as a corrected live rate and the rate among human grades.
 *
 * @param options.alpha probability of a false alarm in one sweep, between 0 and 1; 0.005 when absent
 * @param options.minDrop drop below which nothing is flagged, 0..1; 0.03 when absent
 * @returns one-sided p that the live rate is lower; 0.5 when neither rate has an error and they are equal
 * @throws RangeError when an argument is out of range
 * @see Wald test of two independent estimates
 */
export function correctedRateDrop(
  { live, validated }: { readonly live: RateEstimate; readonly validated: RateEstimate },
  { alpha = 0.005, minDrop = 0.03 }: { readonly alpha?: number; readonly minDrop?: number } = {},
): { readonly drop: number; readonly z: number; readonly p: number; readonly flagged: boolean } {
  requireFinite('live.rate', live.rate)
  requireFinite('validated.rate', validated.rate)
  requireAmount('live.standardError', live.standardError)
  requireAmount('validated.standardError', validated.standardError)
  requireInnerRate('alpha', alpha)
  requireRate('minDrop', minDrop)
  const drop = validated.rate - live.rate
  const error = Math.hypot(live.standardError, validated.standardError)
  const z = drop === 0 ? 0 : -drop / error
  const p = Number.isFinite(z) ? normalCdf(z) : Number(z > 0)
  return { drop, z, p, flagged: p < alpha && drop > minDrop }
}
