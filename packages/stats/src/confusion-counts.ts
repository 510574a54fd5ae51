import { requireCounts } from './require-arguments.ts'

/** Counts of judge against human, where positive means FAIL. */
export interface ConfusionCounts {
  /** Both say FAIL. */
  readonly tp: number
  /** The human says FAIL, the judge PASS. */
  readonly fn: number
  /** The human says PASS, the judge FAIL. */
  readonly fp: number
  /** Both say PASS. */
  readonly tn: number
}

/** The number of rows. @throws RangeError when a count is not a whole number ≥ 0 */
export function countRows({ tp, fn, fp, tn }: ConfusionCounts): number {
  requireCounts({ tp, fn, fp, tn })
  return tp + fn + fp + tn
}
