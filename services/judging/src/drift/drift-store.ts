import type { StoredCriterion } from '../criteria/criterion.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftFinding, LiveTraffic, ValidatedJudge } from './check-drift.ts'

/** A judge in use with a current calibration. */
export interface ExaminedCriterion
  extends Pick<
    StoredCriterion,
    | 'id'
    | 'workspaceId'
    | 'name'
    | 'judgeModel'
    | 'judgePrompt'
    | 'instrument'
    | 'driftSignal'
    | 'driftReason'
    | 'driftClearSweeps'
    | 'driftCheckedAt'
    | 'createdBy'
  > {
  /** The run that calibrated it. */
  readonly calibrationId: string
  readonly alignedAt: Date
}

export interface FoundDrift {
  readonly finding: DriftFinding
  /** The webhook event about it; null for none. */
  readonly notice: JudgingNotice | null
  readonly at: Date
}

export interface DriftStore {
  /** Calibrated judges of all workspaces that are not retired. */
  examined(): Promise<readonly ExaminedCriterion[]>
  /** Null when all grades of the calibration are of one class. */
  validated(examined: ExaminedCriterion): Promise<ValidatedJudge | null>
  /** Verdicts of the monitor since then with the present instrument. */
  live(examined: ExaminedCriterion, since: Date): Promise<LiveTraffic>
  /** Judgements of a calibration with a verdict. */
  calibrationRows(calibrationId: string): Promise<readonly DoneJudgement[]>
  /** Saves a finding and its webhook event, unless the instrument changed or was calibrated again meanwhile. */
  save(examined: Pick<ExaminedCriterion, 'id' | 'instrument' | 'calibrationId'>, found: FoundDrift): Promise<void>
  /** Adds to the reason of a drop, if it is still flagged. */
  explain(examined: Pick<ExaminedCriterion, 'id' | 'instrument'>, addition: string): Promise<void>
}
