import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'

export interface GradedFail {
  /** UUID; null for what was graded elsewhere. */
  readonly logId: string | null
  readonly rationale: string | null
  readonly exchange: JudgedExchange
}

/** Which grades are meant; what is absent does not matter. */
export interface GradedFailFilter {
  readonly workspaceId: string
  readonly tag?: string | undefined
  readonly segment?: string | undefined
  /** Grades given later are left out. */
  readonly until: Date
  readonly limit: number
}

/** What suggestions are made from, beside the log. */
export interface AssistReads {
  /** Exchanges that people failed, the newest grades first, those with a reason before the others. */
  gradedFails(filter: GradedFailFilter): Promise<readonly GradedFail[]>
}
