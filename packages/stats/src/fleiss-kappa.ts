import { requireCounts } from './require-arguments.ts'

/** The number of graders of one item, by their grade. */
export interface GradeCounts {
  readonly fails: number
  readonly passes: number
}

/**
 * Agreement among any number of graders, corrected for chance. Items may have different numbers of grades; those with
 * fewer than two contain no information about agreement and are excluded.
 *
 * @returns at most 1; 0 is chance; null when no item has two grades, or all grades are the same
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see Fleiss 1971, doi:10.1037/h0031619; unequal numbers of grades as in Gwet 2014, ch. 2
 * @example fleissKappa([{ fails: 3, passes: 0 }, { fails: 0, passes: 3 }]) // 1
 */
export function fleissKappa(items: readonly GradeCounts[]): number | null {
  for (const { fails, passes } of items) requireCounts({ fails, passes })
  const graded = items.filter(({ fails, passes }) => fails + passes >= 2)
  if (graded.length === 0) return null
  const observed = mean(graded.map(agreementWithin))
  const failShare = mean(graded.map(({ fails, passes }) => fails / (fails + passes)))
  if (failShare === 0 || failShare === 1) return null
  const byChance = failShare ** 2 + (1 - failShare) ** 2
  return (observed - byChance) / (1 - byChance)
}

/** Share of the pairs of grades of one item that agree. */
function agreementWithin({ fails, passes }: GradeCounts): number {
  const grades = fails + passes
  return (fails * (fails - 1) + passes * (passes - 1)) / (grades * (grades - 1))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
