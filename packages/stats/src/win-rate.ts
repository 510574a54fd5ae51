import { type Interval, Z_95 } from './interval.ts'
import { requireCounts } from './require-arguments.ts'
import { wilsonInterval } from './wilson-interval.ts'

export interface PairwiseCounts {
  readonly wins: number
  readonly ties: number
  readonly losses: number
}

export interface WinRate {
  /** (wins + ties/2)/n, 0..1 */
  readonly winRate: number
  readonly interval: Interval
  /** The number of comparisons without ties that have the same information. */
  readonly effectiveTrials: number
  /** The interval contains 0.5. */
  readonly inconclusive: boolean
}

/**
 * Win rate with ties as half wins, and a Wilson interval at the effective sample size n·w(1 − w)/s²: ties vary less than
 * wins and losses, and an interval that ignores this loses up to half of the information.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns null without comparisons
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see Wilson 1927, doi:10.1080/01621459.1927.10502953
 * @example winRate({ wins: 45, ties: 30, losses: 25 }) // 0.60 in 0.519..0.676
 */
export function winRate({ wins, ties, losses }: PairwiseCounts, z = Z_95): WinRate | null {
  requireCounts({ wins, ties, losses })
  const n = wins + ties + losses
  if (n === 0) return null
  const rate = (wins + ties / 2) / n
  const variance = (wins * (1 - rate) ** 2 + ties * (0.5 - rate) ** 2 + losses * rate ** 2) / n
  const effectiveTrials = variance === 0 ? n : (n * rate * (1 - rate)) / variance
  const interval = wilsonInterval(rate * effectiveTrials, effectiveTrials, z)
  if (interval === null) return null
  const inconclusive = interval.low <= 0.5 && interval.high >= 0.5
  return { winRate: rate, interval, effectiveTrials, inconclusive }
}
