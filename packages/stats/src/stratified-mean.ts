import { type Interval, Z_95 } from './interval.ts'
import { requireCount, requireEach, requireFinite, requirePositive } from './require-arguments.ts'
import { normalCdf } from './special/normal-cdf.ts'
import { studentQuantile } from './special/student-quantile.ts'

/** The items of one stratum, of which some were graded. */
export interface GradedStratum {
  /** Number of items, at least that of the grades. */
  readonly count: number
  /** Grades of items that were drawn from this stratum regardless of their grade: −1, 0 or 1. */
  readonly grades: readonly number[]
  /** Whether the grade of every item is certain, such as that of a missing answer. It needs one grade. */
  readonly isCertain?: boolean
}

export interface StratifiedMean {
  readonly mean: number
  readonly standardError: number
  /** Not clipped. */
  readonly interval: Interval
}

/** Weight of each of the grades −1, 0 and 1 that is added to a stratum's variance, since a few equal grades have none. */
const addedGrade = 0.5

/**
 * Mean grade of a sample of items, of which only some in each stratum were graded, with an interval for the population from
 * which the items come. Strata may be graded in any proportion: it is unbiased also when one kind of item is graded more.
 *
 * @param strata strata without items are left out
 * @param z two-sided critical value; 95 % when absent
 * @returns null without items, or when a stratum with items has no grade
 * @throws RangeError when a count is not a whole number, or smaller than the number of grades
 * @see Neyman 1938, doi:10.1080/01621459.1938.10503378 (double sampling); Satterthwaite 1946, doi:10.2307/3002019
 */
export function stratifiedMean(strata: readonly GradedStratum[], z = Z_95): StratifiedMean | null {
  requirePositive('z', z)
  for (const { count, grades, isCertain = false } of strata) {
    requireCount('count', count)
    requireEach('grades', grades, requireFinite)
    if (!isCertain && grades.length > count)
      throw new RangeError(`grades must be at most ${count}, got ${grades.length}`)
  }
  const filled = strata.filter(({ count }) => count > 0)
  const total = filled.reduce((sum, { count }) => sum + count, 0)
  if (total === 0 || filled.some(({ grades }) => grades.length === 0)) return null
  const parts = filled.map(({ count, grades, isCertain = false }) => ({
    share: count / total,
    mean: grades.reduce((sum, grade) => sum + grade, 0) / grades.length,
    error: isCertain ? 0 : smoothedVariance(grades) / grades.length,
    others: grades.length - 1,
  }))
  const mean = parts.reduce((sum, part) => sum + part.share * part.mean, 0)
  const within = parts.reduce((sum, { share, error }) => sum + share ** 2 * error, 0)
  const between = parts.reduce((sum, part) => sum + part.share * (part.mean - mean) ** 2, 0) / total
  const standardError = Math.sqrt(within + between)
  const half = standardError * fewGrades(parts, { z, variance: within + between })
  return { mean, standardError, interval: { low: mean - half, high: mean + half } }
}

interface Part {
  readonly share: number
  readonly error: number
  /** Grades but one. */
  readonly others: number
}

/**
 * Student's quantile at Satterthwaite's degrees of freedom: a variance that comes from a few grades of one stratum is itself
 * uncertain.
 */
function fewGrades(parts: readonly Part[], { z, variance }: { readonly z: number; readonly variance: number }): number {
  const spread = parts.reduce(
    (sum, { share, error, others }) => sum + (share ** 2 * error) ** 2 / Math.max(1, others),
    0,
  )
  return spread === 0 ? z : studentQuantile(normalCdf(z), Math.max(1, variance ** 2 / spread))
}

function smoothedVariance(grades: readonly number[]): number {
  const n = grades.length + 3 * addedGrade
  const mean = grades.reduce((sum, grade) => sum + grade, 0) / n
  const squares = grades.reduce((sum, grade) => sum + grade ** 2, 0) + 2 * addedGrade
  return squares / n - mean ** 2
}
