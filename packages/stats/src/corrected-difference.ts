import type { Interval } from './interval.ts'
import { requireFinite, requireInnerRate } from './require-arguments.ts'

/** A difference of two rates and its interval, all in -1..1 as measured, wider when corrected. */
export interface RateDifference {
  readonly difference: number
  readonly interval: Interval
}

/**
 * The difference of two true rates, from two rates of the same judge: the raw difference divided by J, because the errors on
 * PASS rows are the same on both sides and cancel. Valid only if TPR and TNR are the same on both sides.
 *
 * @param raw difference of the judged rates
 * @param youden J = TPR + TNR − 1 of the judge, above 0, at most 1
 * @throws RangeError when an argument is out of range
 * @see Rogan & Gladen 1978, doi:10.1093/oxfordjournals.aje.a112510
 */
export function correctedDifference(raw: RateDifference, youden: number): RateDifference {
  requireFinite('difference', raw.difference)
  if (youden !== 1) requireInnerRate('youden', youden)
  const { low, high } = raw.interval
  return { difference: raw.difference / youden, interval: { low: low / youden, high: high / youden } }
}
