import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import type { DoneJudgement, JudgementSource } from './judgement.ts'

export interface VerdictFilter {
  readonly criterionId: string
  readonly verdict?: Verdict | undefined
  readonly source?: JudgementSource | undefined
  /** Inclusive. */
  readonly start?: Date | undefined
  /** Exclusive. */
  readonly end?: Date | undefined
  readonly limit: number
  readonly offset: number
}

/** An exchange that a judge has looked at lately. */
export interface JudgedEntry {
  readonly logId: string
  /** Of its latest look. */
  readonly verdict: Verdict
  /** Whether its looks were of two minds. */
  readonly isDisputed: boolean
  /** Whether somebody has graded it, for the criterion or as a whole. */
  readonly isGraded: boolean
}

/** What judges said, as others read it. */
export interface VerdictReads {
  /** The newest first. */
  list(filter: VerdictFilter): Promise<{ readonly total: number; readonly verdicts: readonly DoneJudgement[] }>
  /** How the judge did against people in the calibration that counts; null without one, or with one class only. */
  accuracyOf(criterionId: string): Promise<JudgeAccuracy | null>
  /** Majorities of grades for a criterion of exchanges that were chosen for grading at random, by log UUID. */
  randomGrades(key: GradeKey, logIds: readonly string[]): Promise<ReadonlyMap<string, Verdict>>
  /** Which of these log UUIDs somebody has graded for the criterion, or as a whole. */
  gradedAmong(key: GradeKey, logIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Exchanges that the monitor or a scan judged with the present instrument, the newest first. */
  judgedLately(key: GradeKey, limit: number): Promise<readonly JudgedEntry[]>
}

export interface GradeKey {
  readonly workspaceId: string
  readonly criterionId: string
}
