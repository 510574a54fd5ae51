import type { Verdict } from '@ratchet/contracts/criteria'

export interface GradeInForce {
  readonly labelId: string
  readonly itemKey: string
  readonly verdict: Verdict
  readonly graderId: string
  /** Whether it was given for the criterion, not for the exchange as a whole. */
  readonly isOwn: boolean
  readonly snapshotId: string
  /** How the item was chosen; null when unknown. */
  readonly samplingMethod: string | null
  readonly samplingProbability: number | null
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  readonly createdAt: Date
}
