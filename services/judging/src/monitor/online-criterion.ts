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
  /** Segment; empty for all of them. */
  readonly populationFamily: string
  readonly onlinePercent: number
  /** Nano-dollars in a week; 0 for any amount. */
  readonly capNano: bigint
  /** Nano-dollars, this week so far. */
  readonly spentNano: bigint
}

/** Whether the judge may spend this week. */
export function isPaused({ capNano, spentNano }: Pick<OnlineCriterion, 'capNano' | 'spentNano'>): boolean {
  return capNano > 0n && spentNano >= capNano
}

/**
 * Whether the judge looks at an exchange: one of its population that a model answered afresh, and of those the share
 * that its id decides. The same for ever; a higher percentage keeps what a lower one chose.
 */
export function watches(criterion: OnlineCriterion, row: LogRow): boolean {
  const { population, populationFamily, onlinePercent } = criterion
  if (row.cached || (population !== '' && row.tag !== population)) return false
  if (populationFamily !== '' && row.segment !== populationFamily) return false
  return isSampled({ criterionId: publicId('criterion', criterion.id), logId: row.id }, onlinePercent)
}
