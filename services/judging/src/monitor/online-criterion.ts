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
 * Whether the monitor chooses an exchange: it is in the judge's population, is no cached answer, and a hash of judge and
 * exchange is in the sampled share. The choice never changes; a higher percentage contains what a lower one chose.
 */
export function watches(criterion: OnlineCriterion, row: LogRow): boolean {
  const { population, populationFamily, onlinePercent } = criterion
  if (row.cached || (population !== '' && row.tag !== population)) return false
  if (populationFamily !== '' && row.segment !== populationFamily) return false
  return isSampled({ criterionId: publicId('criterion', criterion.id), logId: row.id }, onlinePercent)
}
