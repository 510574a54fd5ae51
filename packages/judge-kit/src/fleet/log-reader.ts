import type { Identity } from '@ratchet/contracts/identity'
import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { LogEntry, LogRow } from '@ratchet/contracts/logs'

export interface LogSample {
  /** How many there are to pick from. */
  readonly total: number
  readonly rows: readonly LogRow[]
}

/** The log, as judging reads it. Where the workspace does not log, all but `present` throw {@link LoggingIsOff}. */
export interface LogReader {
  /** An entry with its content, by UUID; null when the workspace has none of this id any more. */
  entry(identity: Identity, logId: string): Promise<LogEntry | null>
  /** A uniform sample without replacement, decided by the seed. */
  sample(identity: Identity, wanted: SampleRequest): Promise<LogSample>
  /** What was stored behind an entry, by UUID, in the order of storing. */
  fresh(identity: Identity, after: string, limit: number): Promise<readonly LogRow[]>
  /** Which of these UUIDs are still there. */
  present(identity: Identity, logIds: readonly string[]): Promise<ReadonlySet<string>>
}

export interface SampleRequest {
  readonly filters: SampleFilters
  readonly count: number
  readonly seed: number
}

/** The workspace keeps no log. */
export class LoggingIsOff extends Error {
  override name = 'LoggingIsOff'
}
