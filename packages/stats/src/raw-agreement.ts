import { type ConfusionCounts, countRows } from './confusion-counts.ts'

/**
 * Share of rows on which two raters agree, not corrected for chance.
 *
 * @returns 0..1, or null without rows
 * @throws RangeError when a count is not a whole number ≥ 0
 * @example rawAgreement({ tp: 1, fn: 4, fp: 1, tn: 94 }) // 0.95
 */
export function rawAgreement(confusion: ConfusionCounts): number | null {
  const rows = countRows(confusion)
  return rows === 0 ? null : (confusion.tp + confusion.tn) / rows
}
