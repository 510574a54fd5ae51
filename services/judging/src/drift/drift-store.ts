import type { StoredCriterion } from '../criteria/criterion.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftFinding, LiveTraffic, ValidatedJudge } from './check-drift.ts'

/** A judge in use with a calibration that counts. */
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
  /** What webhooks are to be told of it; null for nothing. */
  readonly notice: JudgingNotice | null
  readonly at: Date
}

export interface DriftStore {
  /** Judges of all workspaces that are calibrated and not retired. */
  examined(): Promise<readonly ExaminedCriterion[]>
  /** What the calibration says; null when it has only one class. */
  validated(examined: ExaminedCriterion): Promise<ValidatedJudge | null>
  /** What the monitor saw since then with the present instrument. */
  live(examined: ExaminedCriterion, since: Date): Promise<LiveTraffic>
  /** Judgements of a calibration with a verdict. */
  calibrationRows(calibrationId: string): Promise<readonly DoneJudgement[]>
  /** Keeps what a sweep found, and its notice with it, unless the instrument changed meanwhile or was calibrated again. */
  save(examined: Pick<ExaminedCriterion, 'id' | 'instrument' | 'calibrationId'>, found: FoundDrift): Promise<void>
  /** Adds to the reason of a drop that is still flagged. */
  explain(examined: Pick<ExaminedCriterion, 'id' | 'instrument'>, addition: string): Promise<void>
}
