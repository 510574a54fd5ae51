import type { Interval } from './interval.ts'
import { requireCounts, requireInnerRate, requirePart } from './require-arguments.ts'
import { bisect } from './special/bisect.ts'
import { logBeta } from './special/log-beta.ts'

/**
 * Confidence sequence of a proportion, exact at every sample size: the rates whose likelihood times 1/α exceeds the average
 * likelihood over all rates. Wider than `asymptoticConfidenceSequence`, and valid for few trials.
 *
 * @param successes count, 0..trials
 * @param trials count; the whole of 0..1 is returned without any
 * @param alpha probability that the sequence ever excludes the true rate, between 0 and 1
 * @returns bounds in 0..1
 * @throws RangeError when an argument is out of range
 * @see Waudby-Smith & Ramdas 2020, arXiv:2006.04347; Robbins 1970, doi:10.1214/aoms/1177696786
 * @example betaBinomialSequence(10, 10) // { low: 0.583, high: 1 }
 */
export function betaBinomialSequence(successes: number, trials: number, alpha = 0.05): Interval {
  requireCounts({ successes, trials })
  requirePart({ successes }, trials)
  requireInnerRate('alpha', alpha)
  if (trials === 0) return { low: 0, high: 1 }
  const failures = trials - successes
  const logAverage = logBeta(successes + 1, failures + 1)
  const contains = (rate: number) =>
    logAverage < logPower(rate, successes) + logPower(1 - rate, failures) - Math.log(alpha)
  const rate = successes / trials
  return {
    low: successes === 0 ? 0 : bisect({ from: 0, to: rate }, contains),
    high: failures === 0 ? 1 : bisect({ from: 1, to: rate }, contains),
  }
}

/** ln(base^exponent), where 0^0 is 1. */
function logPower(base: number, exponent: number): number {
  return exponent === 0 ? 0 : exponent * Math.log(base)
}
