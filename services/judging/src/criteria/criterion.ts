import type { Criterion as CriterionReply } from '@ratchet/contracts/criteria'

/** A judge as it is stored; what its evidence proves is computed from its calibrations. */
export interface StoredCriterion {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string | null
  readonly judgePrompt: string
  readonly judgeModel: string
  readonly status: CriterionReply['status']
  readonly source: CriterionReply['source']
  readonly unit: CriterionReply['unit']
  readonly population: string
  readonly populationFamily: string
  readonly onlineEnabled: boolean
  readonly onlinePercent: number
  /** Nano-dollars in a week; 0 for any amount. */
  readonly onlineCapNano: bigint
  readonly driftSignal: CriterionReply['drift_signal']
  readonly driftReason: string | null
  readonly driftCheckedAt: Date | null
  readonly driftClearSweeps: number
  /** Grows with every change of prompt, model or population: what was judged with an older one proves nothing. */
  readonly instrument: number
  readonly createdBy: string
  readonly createdAt: Date
}

/** What may be changed of one. */
export type CriterionPatch = Partial<
  Pick<
    StoredCriterion,
    | 'name'
    | 'description'
    | 'judgePrompt'
    | 'judgeModel'
    | 'population'
    | 'populationFamily'
    | 'onlineEnabled'
    | 'onlinePercent'
    | 'onlineCapNano'
    | 'status'
  >
>

export interface CriterionKey {
  readonly workspaceId: string
  readonly id: string
}

export interface CriterionFilter {
  readonly workspaceId: string
  readonly status?: StoredCriterion['status'] | undefined
  readonly unit?: StoredCriterion['unit'] | undefined
  readonly population?: string | undefined
}

export interface CriterionStore {
  create(criterion: StoredCriterion): Promise<void>
  get(key: CriterionKey): Promise<StoredCriterion | null>
  /** All that match, the newest first. */
  list(filter: CriterionFilter): Promise<readonly StoredCriterion[]>
  /**
   * Changes one, which `decide` sees as it is and nobody else changes meanwhile. Where the change voids, its
   * instrument grows, calibrations that count or run become VOIDED, and drift is forgotten, all at once.
   */
  update(key: CriterionKey, decide: DecideChange, at: Date): Promise<StoredCriterion | null>
  /** Forgets that its calibration had aged. */
  clearStale(key: CriterionKey): Promise<void>
  delete(key: CriterionKey): Promise<boolean>
}

export type DecideChange = (current: StoredCriterion) => CriterionChange

export interface CriterionChange {
  readonly patch: CriterionPatch
  /** Why calibrations are void; null when they stay. */
  readonly voids: string | null
}
