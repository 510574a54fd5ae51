import type { ExchangeKey, ReadScope } from './exchange-reads.ts'

/** What the log knows of a workspace itself. */
export interface LoggingSettings {
  readonly slug: string
  readonly name: string
  readonly isLogging: boolean
  readonly retentionDays: number
}

/** A family of system prompts and its traffic. */
export interface SegmentTraffic {
  readonly segment: string
  /** Null where nobody labelled it. */
  readonly label: string | null
  readonly exchanges: number
  readonly exactVariants: number
  readonly firstAt: Date
  readonly lastAt: Date
  /** The newest exchange; null when it is gone and the numbers do not know it yet. */
  readonly newest: ExchangeKey | null
}

export interface SegmentRequest extends ReadScope {
  readonly limit: number
  readonly offset: number
}

/** What the log answers about a workspace as a whole. */
export interface WorkspaceReads {
  /** Null for a workspace that is no more. */
  settings(workspaceId: string): Promise<LoggingSettings | null>
  /** Exchanges in the log, expired ones too until they are swept; null when they cannot be counted now. */
  countExchanges(workspaceId: string): Promise<number | null>
  /** The largest first, and how many there are; expired exchanges count until they are swept. */
  segments(request: SegmentRequest): Promise<{ readonly data: readonly SegmentTraffic[]; readonly total: number }>
}
