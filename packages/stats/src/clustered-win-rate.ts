import { clusteredMean } from './clustered-mean.ts'
import { Z_95 } from './interval.ts'
import { requireCounts } from './require-arguments.ts'
import { incompleteBeta } from './special/incomplete-beta.ts'
import { normalCdf } from './special/normal-cdf.ts'
import { studentQuantile } from './special/student-quantile.ts'
import { wilsonInterval } from './wilson-interval.ts'
import { type PairwiseCounts, type WinRate, winRate } from './win-rate.ts'

/** Smaller errors come from rounding: real ones of a million comparisons are larger. */
const MIN_ERROR = 1e-12

/**
 * Win rate like that of `winRate` for comparisons that come in clusters, such as the steps of one agent run or the
 * repetitions of one prompt. The Wilson interval uses the effective number of comparisons w(1 − w)/se² with the
 * cluster-robust error se, which is enlarged for few clusters. The number is never larger than for independent comparisons,
 * and is the number of clusters when they do not differ.
 *
 * @param clusters the counts of each cluster
 * @param z two-sided critical value; 95 % when absent
 * @returns null without comparisons
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see Liang & Zeger 1986, doi:10.1093/biomet/73.1.13; Cameron & Miller 2015, doi:10.3368/jhr.50.2.317; Korn & Graubard 1998, Survey Methodology 24, for the effective
 *   number in an interval of a rate; Miller 2024, arXiv:2411.00640, for evals
 * @example clusteredWinRate([{ wins: 3, ties: 0, losses: 0 }, { wins: 0, ties: 0, losses: 3 }]) // 0.5 in 0.095..0.905
 */
export function clusteredWinRate(clusters: readonly PairwiseCounts[], z = Z_95): WinRate | null {
  const filled = clusters.filter(({ wins, ties, losses }) => wins + ties + losses !== 0)
  const independent = winRate(sumOf(clusters), z)
  const clustered = clusteredMean(filled.map(scoresOf))
  if (independent === null || clustered === null) return null
  const { mean: rate, standardError } = clustered
  const variance = standardError ** 2 * fewClusters(filled.length, z)
  const effectiveTrials =
    standardError < MIN_ERROR ? filled.length : Math.min(independent.effectiveTrials, (rate * (1 - rate)) / variance)
  const interval = wilsonInterval(rate * effectiveTrials, effectiveTrials, z)
  if (interval === null) return null
  return { winRate: rate, interval, effectiveTrials, inconclusive: interval.low <= 0.5 && interval.high >= 0.5 }
}

/**
 * Two-sided p-value that the win rate is 0.5: it is below 2Φ(−z) exactly when the interval of `clusteredWinRate` at z does not
 * contain 0.5.
 *
 * @param clusters the counts of each cluster
 * @returns 0..1; null without comparisons
 * @throws RangeError when a count is not a whole number ≥ 0
 * @example clusteredWinRateP([{ wins: 3, ties: 0, losses: 0 }, { wins: 0, ties: 0, losses: 3 }]) // 1
 */
export function clusteredWinRateP(clusters: readonly PairwiseCounts[]): number | null {
  const filled = clusters.filter(({ wins, ties, losses }) => wins + ties + losses !== 0)
  const independent = winRate(sumOf(clusters))
  const clustered = clusteredMean(filled.map(scoresOf))
  if (independent === null || clustered === null) return null
  const { mean: rate, standardError } = clustered
  const distance = 2 * Math.abs(rate - 0.5)
  if (standardError < MIN_ERROR) return normalP(distance * Math.sqrt(filled.length))
  const asIndependent = normalP(distance * Math.sqrt(independent.effectiveTrials))
  if (filled.length < 2) return asIndependent
  const errors = (distance * Math.sqrt(rate * (1 - rate))) / standardError
  const statistic = errors * Math.sqrt((filled.length - 1) / filled.length)
  return Math.max(asIndependent, studentP(statistic, filled.length - 1))
}

function normalP(statistic: number): number {
  return 2 * normalCdf(-statistic)
}

function studentP(statistic: number, degreesOfFreedom: number): number {
  const x = degreesOfFreedom / (degreesOfFreedom + statistic ** 2)
  return incompleteBeta(x, { a: degreesOfFreedom / 2, b: 0.5 })
}

function sumOf(clusters: readonly PairwiseCounts[]): PairwiseCounts {
  const sum = { wins: 0, ties: 0, losses: 0 }
  for (const { wins, ties, losses } of clusters) {
    requireCounts({ wins, ties, losses })
    sum.wins += wins
    sum.ties += ties
    sum.losses += losses
  }
  return sum
}

/** Factor that enlarges the variance for few clusters: k/(k − 1), and Student's quantile instead of the normal one. */
function fewClusters(clusters: number, z: number): number {
  if (clusters < 2) return 1
  return (clusters / (clusters - 1)) * (studentQuantile(normalCdf(z), clusters - 1) / z) ** 2
}

function scoresOf({ wins, ties, losses }: PairwiseCounts): readonly number[] {
  return [...repeat(1, wins), ...repeat(0.5, ties), ...repeat(0, losses)]
}

function repeat(score: number, times: number): readonly number[] {
  return Array.from({ length: times }, () => score)
}
