import { UNIT, Z_95 } from './interval.ts'
import { requireCounts, requirePart, requirePositive } from './require-arguments.ts'
import { type StratifiedRate, wilsonEquivalent } from './wilson-equivalent.ts'

/** The rows with one verdict, and the random part of them that people graded. */
export interface VerdictStratum {
  /** All rows with this verdict. */
  readonly rows: number
  readonly graded: number
  /** Human FAIL among the graded rows. */
  readonly humanFails: number
}

/**
 * TPR and TNR when people graded different shares of the rows judged FAIL and the rows judged PASS: each graded row
 * stands for rows/graded rows of its stratum. Without weights both rates would be too high.
 *
 * @param z two-sided critical value; 95 % when absent
 * @returns each side null when it has no estimate: a stratum with rows but no grades, or no human row of the class.
 *   Intervals by the delta method on the logit, with half a row added to each cell when one is empty
 * @throws RangeError when the counts are impossible
 * @see Begg & Greenes 1983, doi:10.2307/2530820
 */
export function stratifiedAccuracy(
  strata: { readonly judgedFail: VerdictStratum; readonly judgedPass: VerdictStratum },
  z = Z_95,
): { readonly tpr: StratifiedRate | null; readonly tnr: StratifiedRate | null } {
  const fail = checked(strata.judgedFail)
  const pass = checked(strata.judgedPass)
  requirePositive('z', z)
  const opposite = (stratum: VerdictStratum) => ({ ...stratum, humanFails: stratum.graded - stratum.humanFails })
  return { tpr: shareFound(fail, pass, z), tnr: shareFound(opposite(pass), opposite(fail), z) }
}

/** The share of one human class that lies in the stratum which finds it; `humanFails` counts that class. */
function shareFound(found: VerdictStratum, missed: VerdictStratum, z: number): StratifiedRate | null {
  if ((found.rows > 0 && found.graded === 0) || (missed.rows > 0 && missed.graded === 0)) return null
  const graded = found.humanFails + missed.humanFails
  const rate = oddsPart(found, 0) / (oddsPart(found, 0) + oddsPart(missed, 0))
  if (Number.isNaN(rate)) return null
  if (found.rows === 0 || missed.rows === 0) return wilsonEquivalent({ rate, interval: UNIT, z }, graded)
  const padding = [found, missed].some(({ graded, humanFails }) => humanFails === 0 || humanFails === graded) ? 0.5 : 0
  const logit = Math.log(oddsPart(found, padding) / oddsPart(missed, padding))
  const half = z * Math.sqrt(relativeVariance(found, padding) + relativeVariance(missed, padding))
  const low = rate === 0 ? 0 : Math.min(rate, logistic(logit - half))
  const high = rate === 1 ? 1 : Math.max(rate, logistic(logit + half))
  return wilsonEquivalent({ rate, interval: { low, high }, z }, graded)
}

/** Estimated rows of the class in the stratum. */
function oddsPart({ rows, graded, humanFails }: VerdictStratum, padding: number): number {
  return rows === 0 ? 0 : (rows * (humanFails + padding)) / (graded + 2 * padding)
}

/** Variance of the logarithm of a binomial share. */
function relativeVariance({ graded, humanFails }: VerdictStratum, padding: number): number {
  const share = (humanFails + padding) / (graded + 2 * padding)
  return (1 - share) / ((graded + 2 * padding) * share)
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x))
}

function checked(stratum: VerdictStratum): VerdictStratum {
  const { rows, graded, humanFails } = stratum
  requireCounts({ rows, graded, humanFails })
  requirePart({ graded }, rows)
  requirePart({ humanFails }, graded)
  return stratum
}
