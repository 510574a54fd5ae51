import type { ReadScope } from './exchange-reads.ts'

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
}

/** What the log answers about a workspace as a whole. */
export interface WorkspaceReads {
  /** Null for a workspace that is no more. */
  settings(workspaceId: string): Promise<LoggingSettings | null>
  /** Exchanges in the log; null when they cannot be counted now. */
  countExchanges(scope: ReadScope): Promise<number | null>
  /** The largest first. */
  segments(scope: ReadScope): Promise<readonly SegmentTraffic[]>
}
