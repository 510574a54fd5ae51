import type { Identity } from '@ratchet/contracts/identity'
import type { RunFilters, SampleFilters } from '@ratchet/contracts/internal-logs'
import type { LogEntry, LogRow } from '@ratchet/contracts/logs'

export interface LogSample {
  /** How many there are to pick from. */
  readonly total: number
  readonly rows: readonly LogRow[]
}

export interface PromptSample {
  /** Exchanges that match. */
  readonly total: number
  /** How many of those were drawn, and how many prompts they have: which may be more than were wanted. */
  readonly lookedAt: number
  readonly distinct: number
  /** One exchange of each prompt, in the order drawn. */
  readonly rows: readonly LogRow[]
}

export interface RunSample {
  /** Completed runs that match. */
  readonly totalRuns: number
  /** Their steps. */
  readonly eligibleSteps: number
  /** Whole ones, in the order drawn. */
  readonly runs: readonly SampledRun[]
}

export interface SampledRun {
  readonly traceId: string
  /** In order. */
  readonly steps: readonly LogRow[]
}

/** The log, as judging and eval read it. Where the workspace does not log, all but `present` throw {@link LoggingIsOff}. */
export interface LogReader {
  /** An entry with its content, by UUID; null when the workspace has none of this id any more. */
  entry(identity: Identity, logId: string): Promise<LogEntry | null>
  /** A uniform sample without replacement, decided by the seed. */
  sample(identity: Identity, requested: SampleRequest): Promise<LogSample>
  /** Distinct prompts of exchanges that are drawn at random, decided by the seed. */
  prompts(identity: Identity, requested: SampleRequest): Promise<PromptSample>
  /** Completed agent runs in an order that the seed decides, until one does not fit. */
  runs(identity: Identity, requested: RunRequest): Promise<RunSample>
  /** What was stored behind an entry, by UUID, in the order of storing. */
  fresh(identity: Identity, after: string, limit: number): Promise<readonly LogRow[]>
  /** The same of the exchanges that named an alias. */
  freshOf(identity: Identity, requested: FreshOfAlias): Promise<readonly LogRow[]>
  /** Which of these UUIDs are still there. */
  present(identity: Identity, logIds: readonly string[]): Promise<ReadonlySet<string>>
}

export interface FreshOfAlias {
  readonly alias: string
  /** UUID of the last exchange seen. */
  readonly after: string
  readonly limit: number
}

export interface SampleRequest {
  readonly filters: SampleFilters
  readonly count: number
  readonly seed: number
}

export interface RunRequest {
  readonly filters: RunFilters
  /** Of all runs together. */
  readonly maxSteps: number
  readonly seed: number
}

/** The workspace keeps no log. */
export class LoggingIsOff extends Error {
  override name = 'LoggingIsOff'
}
