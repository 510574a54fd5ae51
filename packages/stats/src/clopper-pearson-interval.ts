import type { Interval } from './interval.ts'
import { requireCount, requireInnerRate, requireSuccesses } from './require-arguments.ts'
import { incompleteBetaInverse } from './special/incomplete-beta-inverse.ts'

/**
 * Exact interval for a proportion: its coverage is never below the confidence, so it is wider than Wilson's.
 *
 * @param successes count, 0..trials
 * @param trials count
 * @param confidence between 0 and 1
 * @returns bounds in 0..1, or null without trials
 * @throws RangeError when the counts are impossible
 * @see Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404
 * @example clopperPearsonInterval(36, 36) // { low: 0.903, high: 1 }
 */
export function clopperPearsonInterval(successes: number, trials: number, confidence = 0.95): Interval | null {
  requireCount('trials', trials)
  requireCount('successes', successes)
  requireSuccesses(successes, trials)
  requireInnerRate('confidence', confidence)
  if (trials === 0) return null
  const tail = (1 - confidence) / 2
  const failures = trials - successes
  const low = successes === 0 ? 0 : incompleteBetaInverse(tail, { a: successes, b: failures + 1 })
  const high = failures === 0 ? 1 : 1 - incompleteBetaInverse(tail, { a: failures, b: successes + 1 })
  return { low, high }
}
