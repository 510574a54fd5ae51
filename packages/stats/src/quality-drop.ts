import { correctedDifference, type RateDifference } from './corrected-difference.ts'
import { newcombeDifference } from './newcombe-difference.ts'
import { requireInnerRate, requireRate } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'

export interface QualityCounts {
  /** Recent verdicts PASS, and all recent verdicts. */
  readonly livePasses: number
  readonly live: number
  /** The same when the judge was validated. */
  readonly validatedPasses: number
  readonly validated: number
}

export interface QualityDropOptions {
  /** J of the judge, above 0; 1 when the counts are human grades or need no correction. */
  readonly youden?: number
  /** Probability of a false alarm in one sweep, between 0 and 1; 0.005 when absent, because sweeps are repeated. */
  readonly alpha?: number
  /** Corrected drop below which nothing is flagged, 0..1; 0.03 when absent. */
  readonly minDrop?: number
}

export interface QualityDrop extends RateDifference {
  readonly z: number
  /** One-sided, that the live rate is lower. */
  readonly p: number
  readonly flagged: boolean
}

/**
 * Tests whether the live pass rate fell below the one at which the judge was validated: a pooled one-sided test of the
 * two rates. Both come from the same judge, so the difference is corrected by J alone.
 *
 * @returns `difference` is live minus validated, corrected, with its Newcombe interval; null when a side has no
 *   verdicts
 * @throws RangeError when an argument is out of range
 * @see Newcombe 1998 for the interval; the pooled z test of two proportions for p
 */
export function qualityDrop(
  counts: QualityCounts,
  { youden = 1, alpha = 0.005, minDrop = 0.03 }: QualityDropOptions = {},
): QualityDrop | null {
  requireInnerRate('alpha', alpha)
  requireRate('minDrop', minDrop)
  const { livePasses, live, validatedPasses, validated } = counts
  const groups = { successes1: livePasses, trials1: live, successes2: validatedPasses, trials2: validated }
  const raw = newcombeDifference(groups)
  if (raw === null) return null
  const corrected = correctedDifference(raw, youden)
  const pooled = (livePasses + validatedPasses) / (live + validated)
  const standardError = Math.sqrt(pooled * (1 - pooled) * (1 / live + 1 / validated))
  const z = standardError === 0 ? 0 : raw.difference / standardError
  const p = normalCdf(z)
  return { ...corrected, z, p, flagged: p < alpha && -corrected.difference > minDrop }
}
