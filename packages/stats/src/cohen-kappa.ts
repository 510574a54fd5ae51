import { type ConfusionCounts, countRows } from './confusion-counts.ts'

/**
 * Agreement of two raters of the same rows, corrected for chance. It is displayed, but no gate uses it: with rare failures
 * it is low even when the raters nearly always agree.
 *
 * @returns at most 1; 0 is chance; null without rows, or when both raters use only one and the same answer
 * @throws RangeError when a count is not a whole number ≥ 0
 * @see Cohen 1960, doi:10.1177/001316446002000104
 * @example cohenKappa({ tp: 46, fn: 4, fp: 8, tn: 142 }) // 0.844
 */
export function cohenKappa(confusion: ConfusionCounts): number | null {
  const rows = countRows(confusion)
  const { tp, fn, fp, tn } = confusion
  const byChance = (tp + fn) * (tp + fp) + (tn + fn) * (tn + fp)
  if (byChance === rows * rows) return null
  const observed = (tp + tn) * rows
  return (observed - byChance) / (rows * rows - byChance)
}
