import type { Interval } from './interval.ts'
import { requireCounts, requirePart } from './require-arguments.ts'
import { wilsonInterval } from './wilson-interval.ts'

/**
 * The highest TPR or TNR that a perfect judge can show when it is measured against one grader who disagrees with the
 * others at a known rate: 1 − d. Shown beside the bar, so that a judge is not tuned to noise.
 *
 * @param agreements pairs of grades of one item that agree
 * @param pairs all pairs of grades compared
 * @returns the ceiling and its 95 % Wilson interval, in 0..1, or null without pairs
 * @throws RangeError when the counts are impossible
 * @example graderCeiling(92, 100)?.ceiling // 0.92
 */
export function graderCeiling(
  agreements: number,
  pairs: number,
): { readonly ceiling: number; readonly interval: Interval } | null {
  requireCounts({ agreements, pairs })
  requirePart({ agreements }, pairs)
  const interval = wilsonInterval(agreements, pairs)
  return interval === null ? null : { ceiling: agreements / pairs, interval }
}
