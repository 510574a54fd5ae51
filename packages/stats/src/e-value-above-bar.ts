import { TRUST_BAR } from './grades-needed.ts'
import { requireCounts, requireInnerRate, requirePart } from './require-arguments.ts'
import { logIncompleteBeta } from './special/incomplete-beta.ts'
import { logBeta } from './special/log-beta.ts'

/**
 * Certify at this e-value: a false certificate then has probability at most 1/40 = 0.025, however often the evidence is
 * evaluated.
 */
export const CERTIFYING_E_VALUE = 40

/**
 * Evidence that a rate is above the bar, valid at any stopping time: the likelihood averaged over (bar, 1), divided by the
 * likelihood at the bar.
 *
 * @param successes count, 0..trials
 * @param trials count; 1 is returned without any
 * @param bar between 0 and 1
 * @returns ≥ 0; Infinity when a double overflows
 * @throws RangeError when an argument is out of range
 * @see Ville 1939; Ramdas et al. 2023, doi:10.1214/23-STS894
 * @example eValueAboveBar(51, 51) // 41.29
 */
export function eValueAboveBar(successes: number, trials: number, bar = TRUST_BAR): number {
  return Math.exp(logEValueAboveBar(successes, trials, bar))
}

function logEValueAboveBar(successes: number, trials: number, bar = TRUST_BAR): number {
  requireCounts({ successes, trials })
  requirePart({ successes }, trials)
  requireInnerRate('bar', bar)
  const failures = trials - successes
  const shape = { a: failures + 1, b: successes + 1 }
  const logAverage = logBeta(shape.a, shape.b) + logIncompleteBeta(1 - bar, shape) - Math.log1p(-bar)
  return logAverage - successes * Math.log(bar) - failures * Math.log1p(-bar)
}
