import { type ConfusionCounts, countRows } from './confusion-counts.ts'
import type { Interval } from './interval.ts'
import { type PartlyGradedSample, ppiPlusPlus } from './ppi-plus-plus.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** Added to each cell of the confusion matrix. Without it, a judge without errors among a few grades would seem perfect. */
const ADDED = 0.5
const CELLS = 4
/** Estimated from the grades: the fail rate, and the weight of the verdicts. */
const ESTIMATED = 2

/**
 * The fail rate of PPI++ with an interval for few grades, or a few errors among them. Its own interval is symmetric and takes the
 * variance in the grades for the true one: at 10 % fails and 200 grades it misses the truth in 7 % of the runs, and in 30 % with few
 * errors. This one is Wilson's at the number of grades that are worth as much as grades and verdicts together, where the
 * variance is that of half a row more in each cell.
 *
 * @returns null for up to two grades, and without other verdicts
 * @throws RangeError when the counts are impossible
 */
export function partlyGradedInterval(sample: PartlyGradedSample): { failRate: number; interval: Interval } | null {
  const { graded, judgedFails, judged } = sample
  const grades = countRows(graded)
  if (grades <= ESTIMATED || judged === 0) return null
  const { humanRate, verdictRate, covariance } = smoothedMoments(graded)
  const otherRate = (judgedFails + 2 * ADDED) / (judged + CELLS * ADDED)
  const share = grades / judged
  const lambda = Math.min(1, Math.max(0, covariance / ((1 + share) * spread(verdictRate))))
  const estimate = ppiPlusPlus(sample, { lambda })
  if (estimate === null) return null
  const rest = spread(humanRate) - 2 * lambda * covariance + lambda ** 2 * spread(verdictRate)
  const variance = (lambda ** 2 * spread(otherRate)) / judged + rest / (grades - ESTIMATED)
  const trials = spread(humanRate) / variance
  const interval = wilsonInterval(estimate.failRate * trials, trials)
  return interval === null ? null : { failRate: estimate.failRate, interval }
}

function smoothedMoments({ tp, fn, fp, tn }: ConfusionCounts) {
  const rows = tp + fn + fp + tn + CELLS * ADDED
  const humanRate = (tp + fn + 2 * ADDED) / rows
  const verdictRate = (tp + fp + 2 * ADDED) / rows
  return { humanRate, verdictRate, covariance: (tp + ADDED) / rows - humanRate * verdictRate }
}

/** The variance of a yes-or-no value. */
function spread(rate: number): number {
  return rate * (1 - rate)
}
