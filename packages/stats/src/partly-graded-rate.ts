import { clamp, UNIT } from './interval.ts'
import { requireAmount, requireCount, requirePart } from './require-arguments.ts'

/** The rows with one verdict of a judge, and the random part of them that people graded. */
export interface PartlyGradedStratum {
  /** All rows with this verdict. */
  readonly rows: number
  /** Graded rows; the effective number when they were drawn with different probabilities. */
  readonly graded: number
  /** Human FAIL among the graded rows, in the same unit. */
  readonly humanFails: number
}

export interface PartlyGradedRows {
  readonly judgedFail: PartlyGradedStratum
  readonly judgedPass: PartlyGradedStratum
  /** Rows that failed without a verdict or a grade, such as agent runs that were not completed. None when it is absent. */
  readonly knownFails?: number
}

export interface PartlyGradedRate {
  /** 0..1 */
  readonly failRate: number
  /** Standard error for a bound above the rate. */
  readonly errorAbove: number
  /** Standard error for a bound below the rate. */
  readonly errorBelow: number
}

/** Rows that are added to a stratum on the side of the bound, because a rare outcome may be missing among few grades. */
const padding = 3

/**
 * Human fail rate of rows that a judge judged and of which people graded a random part of each verdict: the share of each
 * verdict times the human fail rate among its graded rows. The judge may err in any way; a better judge gives a smaller
 * error. Rows that are known to have failed are a third group, which needs no grades. It is the maximum likelihood estimate of two-phase sampling, so its errors after more and more grades are those of
 * a Brownian motion in the time 1/error², as a confidence sequence requires.
 *
 * @returns null without rows, or when a verdict has rows and no grade
 * @throws RangeError when the counts are impossible
 * @see Neyman 1938, doi:10.1080/01621459.1938.10503378; Scharfstein et al. 1997, doi:10.1080/01621459.1997.10473655
 */
export function partlyGradedRate(groups: PartlyGradedRows): PartlyGradedRate | null {
  const { judgedFail, judgedPass, knownFails = 0 } = groups
  const strata = [judgedFail, judgedPass].map(checked)
  requireCount('knownFails', knownFails)
  const rows = judgedFail.rows + judgedPass.rows + knownFails
  if (rows === 0 || strata.some((each) => each.rows > 0 && each.graded === 0)) return null
  const parts = strata.filter((each) => each.rows > 0).map((each) => ({ ...each, share: each.rows / rows }))
  const gradedFails = parts.reduce((sum, { share, humanFails, graded }) => sum + (share * humanFails) / graded, 0)
  const failRate = gradedFails + knownFails / rows
  const verdicts = verdictVariance(groups)
  const errorWith = (addedFails: number) => Math.sqrt(verdicts + gradeVariance(parts, addedFails))
  return { failRate: clamp(failRate, UNIT), errorAbove: errorWith(padding), errorBelow: errorWith(0) }
}

/** Part of the variance that comes from the number of rows in each group. */
function verdictVariance({ judgedFail, judgedPass, knownFails }: PartlyGradedRows): number {
  const groups = [
    { rows: judgedFail.rows, rate: humanRate(judgedFail, 1) },
    { rows: judgedPass.rows, rate: humanRate(judgedPass, 0) },
    ...(knownFails === undefined ? [] : [{ rows: knownFails, rate: 1 }]),
  ]
  const rows = groups.reduce((sum, group) => sum + group.rows, 0)
  const parts = groups.map((group) => ({
    share: (group.rows + padding) / (rows + groups.length * padding),
    rate: group.rate,
  }))
  const mean = parts.reduce((sum, { share, rate }) => sum + share * rate, 0)
  return parts.reduce((sum, { share, rate }) => sum + share * (rate - mean) ** 2, 0) / rows
}

function humanRate({ graded, humanFails }: PartlyGradedStratum, otherwise: number): number {
  return graded === 0 ? otherwise : humanFails / graded
}

/** Part of the variance that comes from the number of grades. */
function gradeVariance(
  parts: readonly (PartlyGradedStratum & { readonly share: number })[],
  addedFails: number,
): number {
  return parts.reduce((sum, { share, graded, humanFails }) => {
    const rate = (humanFails + addedFails) / (graded + padding)
    return sum + (share ** 2 * rate * (1 - rate)) / graded
  }, 0)
}

function checked(stratum: PartlyGradedStratum): PartlyGradedStratum {
  const { rows, graded, humanFails } = stratum
  requireCount('rows', rows)
  requireAmount('graded', graded)
  requirePart({ graded }, rows)
  requirePart({ humanFails }, graded)
  return stratum
}
