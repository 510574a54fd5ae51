import { type Interval, Z_95 } from './interval.ts'
import { requireEach, requireFinite, requireRate } from './require-arguments.ts'

/** One comparison: its result, and how much longer the answer of the candidate is. */
export interface SizedComparison {
  /** 1 for a win, 0.5 for a tie, 0 for a loss. */
  readonly score: number
  /** Length of the candidate's answer minus that of the baseline, in any unit. */
  readonly lengthDifference: number
  /** Comparisons of one cluster are not independent. */
  readonly cluster: string
}

export interface LengthControlledWinRate {
  /** The win rate for answers of equal length, 0..1. */
  readonly winRate: number
  /** 95 %, within 0..1, robust to clusters. */
  readonly interval: Interval
  /** Log-odds that the largest difference in length adds; above 0 longer answers are preferred. */
  readonly slope: number
}

/** Weak prior that keeps the slope finite when length separates wins from losses. */
const RIDGE = 1
const MAX_STEPS = 50
const MAX_LOG_ODDS = 12
const TOLERANCE = 1e-12

/**
 * The win rate that answers of equal length would have: a logistic regression of the result on the difference in length,
 * squeezed by tanh so that extreme differences do not decide, read where the difference is 0. The interval uses the
 * cluster-robust (sandwich) error.
 *
 * @param comparisons of one candidate
 * @returns null when all results or all lengths are the same, or when there are fewer than 10 clusters
 * @throws RangeError when a score is not in 0..1 or a length is not finite
 * @see Dubois et al. 2024, arXiv:2404.04475; Liang & Zeger 1986, doi:10.1093/biomet/73.1.13
 */
export function lengthControlledWinRate(comparisons: readonly SizedComparison[]): LengthControlledWinRate | null {
  const differences = comparisons.map(({ lengthDifference }) => lengthDifference)
  const scores = comparisons.map(({ score }) => score)
  requireEach('scores', scores, requireRate)
  requireEach('lengthDifferences', differences, requireFinite)
  const spread = Math.sqrt(sum(differences.map((value) => value ** 2)) / differences.length)
  const clusters = Map.groupBy(comparisons.keys(), (index) => comparisons[index]?.cluster)
  const isConstant = new Set(scores).size < 2 || new Set(differences).size < 2
  if (isConstant || clusters.size < MIN_CLUSTERS) return null
  const sizes = differences.map((difference) => Math.tanh(difference / spread))
  const fit = fitLogistic(scores, sizes)
  if (fit === null) return null
  const error = robustError(fit, { scores, sizes, clusters: [...clusters.values()] })
  const { intercept, slope } = fit
  const interval = { low: sigmoid(intercept - Z_95 * error), high: sigmoid(intercept + Z_95 * error) }
  return { winRate: sigmoid(intercept), interval, slope }
}

const MIN_CLUSTERS = 10

interface Fit {
  readonly intercept: number
  readonly slope: number
}

/** Newton's method. Null when it does not converge. */
function fitLogistic(scores: readonly number[], sizes: readonly number[]): Fit | null {
  let fit: Fit = { intercept: 0, slope: 0 }
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const [gradient0, gradient1] = gradientOf(fit, scores, sizes)
    const { a, b, c, determinant } = informationOf(fit, sizes)
    const intercept = fit.intercept + (c * gradient0 - b * gradient1) / determinant
    const slope = fit.slope + (a * gradient1 - b * gradient0) / determinant
    const change = Math.abs(intercept - fit.intercept) + Math.abs(slope - fit.slope)
    fit = { intercept, slope }
    if (!(Math.abs(intercept) < MAX_LOG_ODDS)) return null
    if (change < TOLERANCE) return fit
  }
  return null
}

function gradientOf({ intercept, slope }: Fit, scores: readonly number[], sizes: readonly number[]) {
  const residuals = sizes.map((size, index) => (scores[index] ?? 0) - sigmoid(intercept + slope * size))
  return [sum(residuals), sum(residuals.map((each, index) => each * (sizes[index] ?? 0))) - RIDGE * slope] as const
}

/** The symmetric matrix [[a, b], [b, c]] of second derivatives. */
function informationOf({ intercept, slope }: Fit, sizes: readonly number[]) {
  const weights = sizes.map((size) => {
    const rate = sigmoid(intercept + slope * size)
    return rate * (1 - rate)
  })
  const a = sum(weights)
  const b = sum(weights.map((weight, index) => weight * (sizes[index] ?? 0)))
  const c = sum(weights.map((weight, index) => weight * (sizes[index] ?? 0) ** 2)) + RIDGE
  return { a, b, c, determinant: a * c - b * b }
}

interface Clustered {
  readonly scores: readonly number[]
  readonly sizes: readonly number[]
  readonly clusters: readonly (readonly number[])[]
}

/** Standard error of the intercept. */
function robustError(fit: Fit, { scores, sizes, clusters }: Clustered): number {
  const { b, c, determinant } = informationOf(fit, sizes)
  // The influence of a comparison on the intercept: the first row of the inverse, times its gradient.
  const influenceOf = (index: number) => {
    const size = sizes[index] ?? 0
    const residual = (scores[index] ?? 0) - sigmoid(fit.intercept + fit.slope * size)
    return ((c - b * size) / determinant) * residual
  }
  const squares = sum(clusters.map((own) => sum(own.map(influenceOf)) ** 2))
  return Math.sqrt((squares * clusters.length) / (clusters.length - 1))
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
