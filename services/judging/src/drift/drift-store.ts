import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import type { DriftCause, DriftFinding, DriftState, LiveTraffic } from './check-drift.ts'
import type { DayCount } from './find-rise.ts'

/** A judge in use with a current calibration. */
export interface ExaminedCriterion
  extends Pick<
      StoredCriterion,
      'id' | 'workspaceId' | 'name' | 'judgeModel' | 'judgePrompt' | 'instrument' | 'createdBy'
    >,
    DriftState {
  /** The run that calibrated it. */
  readonly calibrationId: string
  readonly alignedAt: Date
  /** Null when all grades of the calibration are of one class. */
  readonly accuracy: JudgeAccuracy | null
}

export interface FoundDrift {
  readonly finding: DriftFinding
  /** The webhook event about it; null for none. */
  readonly notice: JudgingNotice | null
  readonly at: Date
}

/** Verdicts on the panel of a calibration, and whether more of them are due. */
export interface JudgedPanel {
  /** Counts of wrong verdicts, by the verdict of people. */
  readonly days: Readonly<Record<Verdict, readonly DayCount[]>>
  /** When rows were last judged again; null for never. */
  readonly lastAt: Date | null
  /** Whether rows are being judged again now. */
  readonly isOpen: boolean
  /** Whether the judge gave verdicts to the monitor or to a gate in the last week, or an eval that may be evidence has it. */
  readonly isJudgeUsed: boolean
  /** Whether an eval that may be evidence has it. */
  readonly isOfEvals: boolean
  /** Whether the weekly cap is used up. */
  readonly isOverCap: boolean
}

export interface DriftStore {
  /** Calibrated judges of all workspaces that are not retired. */
  examined(): Promise<readonly ExaminedCriterion[]>
  /** Counts the live verdicts of complete days, once for each day: verdicts are deleted with their exchanges. */
  recordDays(examined: Pick<ExaminedCriterion, 'id' | 'instrument'>, today: number): Promise<void>
  /** Verdicts of the monitor with the present instrument, and the model that answers since the calibration. */
  live(examined: Pick<ExaminedCriterion, 'id' | 'instrument' | 'alignedAt'>): Promise<LiveTraffic>
  /** Verdicts on complete days. */
  panel(examined: Pick<ExaminedCriterion, 'id' | 'calibrationId'>, at: PanelTime): Promise<JudgedPanel>
  /** Judgements of a calibration with a verdict. */
  calibrationRows(calibrationId: string): Promise<readonly DoneJudgement[]>
  /** Saves a finding and its webhook event, unless the instrument changed or was calibrated again meanwhile. */
  save(
    examined: Pick<ExaminedCriterion, 'id' | 'workspaceId' | 'instrument' | 'calibrationId'>,
    found: FoundDrift,
  ): Promise<void>
  /** Adds the cause to a drop, if it is still flagged. */
  explain(examined: Pick<ExaminedCriterion, 'id' | 'instrument'>, explained: ExplainedDrop): Promise<void>
}

export interface PanelTime {
  readonly today: number
  /** A week ago. */
  readonly usedSince: Date
  /** Time from which evals may be evidence. */
  readonly evalsSince: Date
}

export interface ExplainedDrop {
  readonly cause: DriftCause | null
  readonly sentence: string
}
