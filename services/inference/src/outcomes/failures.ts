import type { FailureCause, RequestOutcome } from '@ratchet/contracts/failure-causes'
import type { FailureGroup } from '@ratchet/contracts/failures'
import type { Period } from '../billing/accounts.ts'
import type { FailedRequest } from './count-outcomes.ts'

export interface FailureOfGroup {
  readonly group: string | null
  readonly failed: number
  readonly firstAt: Date
  readonly lastAt: Date
  readonly lastRequestId: string
}

export interface FailureReport {
  readonly answered: number
  readonly cached: number
  readonly clientLeft: number
  /** The sum of all groups. */
  readonly failed: number
  readonly groups: readonly FailureOfGroup[]
  readonly others: { readonly groups: number; readonly failed: number } | null
  readonly series: readonly { readonly at: Date; readonly outcome: RequestOutcome; readonly count: number }[]
}

/** How long answers of models took, to their end. At most 5 % too high. */
export interface AnswerLatency {
  readonly p50Ms: number
  readonly p95Ms: number
}

export interface FailureRowsQuery extends Period {
  readonly cause: FailureCause
  readonly after: { readonly at: Date; readonly id: string } | null
  readonly limit: number
  readonly model: string | null
  readonly provider: string | null
  readonly keyId: string | null
  readonly tag: string | null
}

export interface FailureStore {
  /** A period of whole hours. */
  report(workspaceId: string, query: Period & { readonly groupBy: FailureGroup }): Promise<FailureReport>
  /** Of a period of whole hours; null when no model answered. */
  latency(workspaceId: string, period: Period): Promise<AnswerLatency | null>
  rows(workspaceId: string, query: FailureRowsQuery): Promise<readonly FailedRequest[]>
}
