import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import type { LogRow } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import { isSampled } from '@ratchet/stats/deterministic-sample'

/** A judge that monitors fresh traffic. */
export interface OnlineCriterion {
  readonly id: string
  readonly workspaceId: string
  readonly createdBy: string
  readonly instrument: number
  /** Tag; empty for all traffic. */
  readonly population: string
  /** Segment; empty for all segments. */
  readonly populationFamily: string
  readonly onlinePercent: number
  /** Nano-dollars per week; 0 for no limit. */
  readonly capNano: bigint
  /** Nano-dollars spent this week. */
  readonly spentNano: bigint
}

/** Whether the judge has used up its weekly cap. */
export function isPaused({ capNano, spentNano }: Pick<OnlineCriterion, 'capNano' | 'spentNano'>): boolean {
  return capNano > 0n && spentNano >= capNano
}

/**
 * Whether the monitor chooses an exchange: it is in the judge's population, is no cached answer, and in the sampled share.
 */
export function watches(criterion: OnlineCriterion, row: LogRow): boolean {
  return isWatched(criterion, row) && isInShare(criterion, row.id)
}

/** Whether a run is in the judge's population: one of its steps is, and is no cached answer. */
export function watchesRun(criterion: OnlineCriterion, { steps }: Pick<LoggedRun, 'steps'>): boolean {
  return steps.some((step) => isWatched(criterion, step))
}

/**
 * Whether a hash of judge and item is in the sampled share. The choice never changes; a higher percentage contains what a
 * lower one chose.
 *
 * @param itemId public id of a log entry, or trace id of a run
 */
export function isInShare({ id, onlinePercent }: OnlineCriterion, itemId: string): boolean {
  return isSampled({ criterionId: publicId('criterion', id), logId: itemId }, onlinePercent)
}

function isWatched({ population, populationFamily }: OnlineCriterion, row: LogRow): boolean {
  if (row.cached || (population !== '' && row.tag !== population)) return false
  return populationFamily === '' || row.segment === populationFamily
}
