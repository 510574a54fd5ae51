import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgementSource } from './judgement.ts'

export interface VerdictFilter {
  readonly criterionId: string
  readonly verdict?: Verdict | undefined
  readonly source?: JudgementSource | undefined
  /** UUID of an exchange. */
  readonly logId?: string | undefined
  /** Inclusive. */
  readonly start?: Date | undefined
  /** Exclusive. */
  readonly end?: Date | undefined
  readonly limit: number
  readonly offset: number
}

export interface JudgedEntry {
  readonly logId: string
  /** The latest verdict. */
  readonly verdict: Verdict
  /** Whether the judge gave different verdicts. */
  readonly isDisputed: boolean
  /** Whether a person has graded it, for the criterion or as a whole. */
  readonly isGraded: boolean
}

/** The same of a run. */
export interface JudgedRunEntry extends Omit<JudgedEntry, 'logId'> {
  readonly traceId: string
}

export interface LogVerdict {
  readonly logId: string
  readonly verdict: Verdict
}

export interface GradeKey {
  readonly workspaceId: string
  readonly criterionId: string
}
