import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { clusteredWinRate, clusteredWinRateP } from './clustered-win-rate.ts'
import { exactSignTest } from './exact-sign-test.ts'
import { type Interval, Z_95 } from './interval.ts'
import { requireCounts, requirePositive } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'
import { type PairwiseCounts, type WinRate, winRate } from './win-rate.ts'

/**
 * Win rate like that of `winRate`, or `clusteredWinRate` where a cluster has several comparisons, whose interval contains 0.5
 * whenever the exact sign test does not reject it. The two disagree for few comparisons: five wins of five have a Wilson
 * interval above 0.5, and a p-value of 0.0625. Where they disagree, the exact interval of the comparisons without ties
 * replaces the bound, so the interval is never narrower.
 *
 * @param clusters the counts of each prompt or run; each counts once in the sign test, for the side that won more of it
 * @param z two-sided critical value; 95 % when absent
 * @returns null without comparisons
 * @throws RangeError when a count is not a whole number ≥ 0, or z is not above 0
 * @see Clopper & Pearson 1934, doi:10.1093/biomet/26.4.404
 * @example testedWinRate(Array(5).fill({ wins: 1, ties: 0, losses: 0 })) // 1 in 0.478..1
 */
export function testedWinRate(clusters: readonly PairwiseCounts[], z = Z_95): WinRate | null {
  requirePositive('z', z)
  const estimate = estimateAt(clusters, z)
  if (estimate === null || estimate.inconclusive) return estimate
  const level = 2 * normalCdf(-z)
  if (signTestOf(clusters) <= level) return estimate
  const interval = widened(estimate.interval, exactInterval(clusters, 1 - level))
  return { ...estimate, interval, inconclusive: true }
}

/**
 * Two-sided p-value that the win rate is 0.5, which agrees with `testedWinRate`: it is at most 2Φ(−z) exactly when the
 * interval at z does not contain 0.5. It is the larger one of the p-values of the sign test and of the interval.
 *
 * @param clusters the counts of each prompt or run
 * @returns 0..1; null without comparisons
 * @throws RangeError when a count is not a whole number ≥ 0
 * @example winRatePValue(Array(5).fill({ wins: 1, ties: 0, losses: 0 })) // 0.0625
 */
export function winRatePValue(clusters: readonly PairwiseCounts[]): number | null {
  const p = isClustered(clusters) ? clusteredWinRateP(clusters) : independentP(clusters)
  return p === null ? null : Math.max(signTestOf(clusters), p)
}

/**
 * Two-sided exact p-value that wins and losses are equally likely, where each cluster counts once.
 *
 * @param clusters the counts of each prompt or run
 * @returns 0..1; 1 when no cluster has a winner
 * @throws RangeError when a count is not a whole number ≥ 0
 */
export function clusteredSignTest(clusters: readonly PairwiseCounts[]): number {
  for (const { wins, ties, losses } of clusters) requireCounts({ wins, ties, losses })
  return signTestOf(clusters)
}

function estimateAt(clusters: readonly PairwiseCounts[], z: number): WinRate | null {
  return isClustered(clusters) ? clusteredWinRate(clusters, z) : winRate(sumOf(clusters), z)
}

function independentP(clusters: readonly PairwiseCounts[]): number | null {
  const estimate = winRate(sumOf(clusters))
  if (estimate === null) return null
  return 2 * normalCdf(-2 * Math.abs(estimate.winRate - 0.5) * Math.sqrt(estimate.effectiveTrials))
}

function isClustered(clusters: readonly PairwiseCounts[]): boolean {
  return clusters.some(({ wins, ties, losses }) => wins + ties + losses > 1)
}

function sumOf(clusters: readonly PairwiseCounts[]): PairwiseCounts {
  const count = (side: keyof PairwiseCounts) => clusters.reduce((sum, cluster) => sum + cluster[side], 0)
  return { wins: count('wins'), ties: count('ties'), losses: count('losses') }
}

function signTestOf(clusters: readonly PairwiseCounts[]): number {
  const { won, lost } = winnersOf(clusters)
  return exactSignTest(won, lost)
}

function winnersOf(clusters: readonly PairwiseCounts[]) {
  return {
    won: clusters.filter(({ wins, losses }) => wins > losses).length,
    lost: clusters.filter(({ wins, losses }) => losses > wins).length,
  }
}

/** The exact interval of the clusters with a winner; those without one count as half a win. */
function exactInterval(clusters: readonly PairwiseCounts[], confidence: number): Interval | null {
  const { won, lost } = winnersOf(clusters)
  const exact = clopperPearsonInterval(won, won + lost, confidence)
  if (exact === null) return null
  const decided = (won + lost) / clusters.filter(({ wins, ties, losses }) => wins + ties + losses !== 0).length
  const withTies = (rate: number) => (1 - decided) / 2 + decided * rate
  return { low: withTies(exact.low), high: withTies(exact.high) }
}

function widened(interval: Interval, other: Interval | null): Interval {
  if (other === null) return interval
  return { low: Math.min(interval.low, other.low), high: Math.max(interval.high, other.high) }
}
