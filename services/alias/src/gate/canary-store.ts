import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { AliasEventRow, AliasNotice, GateRecord, StoredAlias } from '../aliases/alias.ts'
import type { CountsByArm } from './arm-counts.ts'
import type { GateJudge } from './gate-judge.ts'
import type { ShadowCounts } from './shadow-counts.ts'

/** An answer that a gate wants judged. */
export interface NewCanarySample {
  readonly logId: string
  readonly arm: Arm
  /** One of each is taken; null for an answer that stands alone. */
  readonly cluster: string | null
}

/** A request that a mirror is to answer. */
export interface NewShadowSample {
  readonly id: string
  readonly logId: string
}

/** What was found in the log. */
export interface FoundInLog {
  readonly samples: readonly NewCanarySample[]
  readonly shadows: readonly NewShadowSample[]
  /** UUID up to which the log was looked at. */
  readonly cursorLogId: string
}

/** What people say of a sample; null where they say nothing. */
export interface SampleGrade {
  readonly logId: string
  readonly grade: Verdict | null
}

/** A sample that is to be asked about. */
export interface SampleKey {
  readonly logId: string
}

export interface SampleOutcome {
  readonly logId: string
  readonly verdict: Verdict | null
  /** Null exactly where there is a verdict. */
  readonly failure: string | null
}

/** What a look found, and what came of it. */
export interface SavedEvaluation {
  readonly gate: GateRecord
  /** Null where nothing is worth a row of the audit. */
  readonly event: AliasEventRow | null
  readonly notice: AliasNotice | null
}

type Split = Pick<StoredAlias, 'id' | 'epoch'>

/** What gates remember of what they look at. */
export interface CanaryStore {
  /** Takes on aliases that are to be looked at, at most `limit`; they are due again after `againMs`. */
  take(limit: number, againMs: number): Promise<readonly StoredAlias[]>
  /** Keeps what was found, unless the epoch is over. */
  keepFound(split: Split, found: FoundInLog, at: Date): Promise<void>
  openSamples(split: Split, limit: number): Promise<readonly SampleKey[]>
  /** Samples with a verdict, those first that were not asked about for longest. */
  gradableSamples(split: Split, limit: number): Promise<readonly SampleKey[]>
  keepOutcomes(split: Split, outcomes: readonly SampleOutcome[]): Promise<void>
  keepGrades(split: Split, grades: readonly SampleGrade[], at: Date): Promise<void>
  /**
   * What is known of a split. Verdicts count up to the first sample that is still open, for what is judged late may be
   * judged otherwise; one that is open for ten minutes is not waited for.
   */
  counts(alias: StoredAlias, at: Date): Promise<{ readonly arms: CountsByArm; readonly shadow: ShadowCounts | null }>
  /** Keeps what a look found. False when the alias was changed meanwhile, or looked at by another. */
  saveEvaluation(alias: StoredAlias, evaluation: SavedEvaluation): Promise<boolean>
  /** Begins to count anew, with a judge that is not what it was. False when the alias was changed meanwhile. */
  restart(
    alias: StoredAlias,
    restart: { readonly judge: GateJudge; readonly event: AliasEventRow; readonly cursorLogId: string },
  ): Promise<boolean>
  /** Forgets counts of epochs that are over, and mirrored requests of more than thirty days ago. */
  forget(): Promise<void>
}
