import type { Criterion as CriterionReply } from '@ratchet/contracts/criteria'
import type { CriterionCheck } from '@ratchet/contracts/criterion-checks'

/** A judge as it is stored. Its measures are not a part of it: they come from its calibrations. */
export interface StoredCriterion {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly description: string | null
  readonly judgePrompt: string
  /** `ratchet/checks` when it judges by checks. */
  readonly judgeModel: string
  /** Null when a model judges. */
  readonly checks: readonly CriterionCheck[] | null
  readonly status: CriterionReply['status']
  readonly source: CriterionReply['source']
  readonly unit: CriterionReply['unit']
  readonly population: string
  readonly populationFamily: string
  readonly onlineEnabled: boolean
  readonly onlinePercent: number
  /** Nano-dollars per week; 0 for no limit. */
  readonly onlineCapNano: bigint
  readonly driftSignal: CriterionReply['drift_signal']
  readonly driftReason: string | null
  readonly driftCause: CriterionReply['drift_cause']
  readonly driftCheckedAt: Date | null
  readonly driftClearSweeps: number
  /** Grows with every change of prompt, model, checks or population. Judgements with an older one are no evidence. */
  readonly instrument: number
  readonly createdBy: string
  readonly createdAt: Date
}

export type CriterionPatch = Partial<
  Pick<
    StoredCriterion,
    | 'name'
    | 'description'
    | 'judgePrompt'
    | 'judgeModel'
    | 'checks'
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

/** Who changes a judge, as the audit names them. */
export interface CriterionWriter {
  readonly userId: string
  readonly keyId: string | null
  readonly sessionId: string | null
  readonly requestId: string
}

/** Every change is written to the audit in its transaction; without a writer, no person made it. */
export interface CriterionStore {
  create(criterion: StoredCriterion, by?: CriterionWriter): Promise<void>
  get(key: CriterionKey): Promise<StoredCriterion | null>
  /** Newest first. */
  list(filter: CriterionFilter): Promise<readonly StoredCriterion[]>
  /**
   * Changes a judge by the decision of `decide`, which is called under a lock of the row. Where the change voids, in the
   * same transaction the instrument grows, running and finished calibrations become VOIDED and the drift flag is removed.
   */
  update(key: CriterionKey, decide: DecideChange, at: Date, by?: CriterionWriter): Promise<StoredCriterion | null>
  /** Removes a `stale` flag, because of a calibration. */
  clearStale(key: CriterionKey, at: Date): Promise<void>
  /** Notes that an eval was created with the judge. */
  noteEval(key: CriterionKey, at: Date): Promise<void>
  delete(key: CriterionKey, at: Date, by?: CriterionWriter): Promise<boolean>
}

export type DecideChange = (current: StoredCriterion) => CriterionChange

export interface CriterionChange {
  readonly patch: CriterionPatch
  /** Why calibrations are void; null when they remain valid. */
  readonly voids: string | null
}
