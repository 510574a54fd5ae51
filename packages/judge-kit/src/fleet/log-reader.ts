import type { Identity } from '@ratchet/contracts/identity'
import type { LoggedRun, RunFilters, SampleFilters } from '@ratchet/contracts/internal-logs'
import type { LogEntry, LogRow } from '@ratchet/contracts/logs'
import type { JudgedExchange } from '../prompt/exchange.ts'

export interface LogSample {
  /** Number of matching exchanges. */
  readonly total: number
  readonly rows: readonly LogRow[]
}

export interface PromptSample {
  /** Number of matching exchanges. */
  readonly total: number
  /** Number of exchanges that were drawn. */
  readonly examined: number
  /** Number of distinct prompts among them; may be more than requested. */
  readonly distinct: number
  /** One exchange for each prompt, in the order drawn. */
  readonly rows: readonly LogRow[]
}

export interface RunSample {
  /** Number of matching completed runs. */
  readonly totalRuns: number
  /** Number of their steps. */
  readonly eligibleSteps: number
  /** Complete runs, in the order drawn. */
  readonly runs: readonly SampledRun[]
}

export interface SampledRun {
  readonly traceId: string
  readonly steps: readonly LogRow[]
}

/** Reads the log for judging and eval. When logging is off, all methods except `present` throw {@link LoggingIsOff}. */
export interface LogReader {
  /** An entry with its content, by UUID; null when the workspace has no such entry. */
  entry(identity: Identity, logId: string): Promise<LogEntry | null>
  /** A uniform sample without replacement, determined by the seed. */
  sample(identity: Identity, requested: SampleRequest): Promise<LogSample>
  /** Distinct prompts of randomly drawn exchanges, determined by the seed. */
  prompts(identity: Identity, requested: SampleRequest): Promise<PromptSample>
  /** Completed agent runs in a random order, determined by the seed, until one exceeds `maxSteps`. */
  runs(identity: Identity, requested: RunRequest): Promise<RunSample>
  /** Ids of completed runs, drawn at random as the seed determines. */
  drawRuns(identity: Identity, requested: DrawRequest): Promise<RunDraw>
  /** Runs with their steps, in the order of the ids; unknown ones are missing. */
  readRuns(identity: Identity, traceIds: readonly string[]): Promise<readonly LoggedRun[]>
  /** Runs whose last step is ten minutes old, by the time of that step, after the one that was read last. */
  quietRuns(identity: Identity, after: RunPlace, limit: number): Promise<readonly RunPlace[]>
  /** Exchanges stored after an entry, by UUID, in the order of storing. */
  fresh(identity: Identity, after: string, limit: number): Promise<readonly LogRow[]>
  /** The same, restricted to exchanges that named an alias. */
  freshOf(identity: Identity, requested: FreshOfAlias): Promise<readonly LogRow[]>
  /** Feedback of users on these UUIDs, or on these traces, by UUID or trace id; those without any are missing. */
  feedback(identity: Identity, items: FeedbackItems): Promise<ReadonlyMap<string, FeedbackCount>>
  /** Those of the UUIDs that are still in the log. */
  present(identity: Identity, logIds: readonly string[]): Promise<ReadonlySet<string>>
  /** A call of a voice agent as it was heard, by its trace id; null for another trace. Absent where calls are not read. */
  conversation?(identity: Identity, traceId: string): Promise<JudgedExchange | null>
}

export type FeedbackItems = { readonly logIds: readonly string[] } | { readonly traceIds: readonly string[] }

/** Numbers of users who found an answer good, and bad. */
export interface FeedbackCount {
  readonly up: number
  readonly down: number
}

/** The position of a run among the quiet ones. */
export interface RunPlace {
  /** Time of its last step. */
  readonly lastAt: Date
  /** Empty for the position before all runs of that time. */
  readonly traceId: string
}

export interface DrawRequest extends Pick<RunRequest, 'filters' | 'seed'> {
  readonly count: number
}

export interface RunDraw {
  /** Number of matching completed runs. */
  readonly totalRuns: number
  readonly traceIds: readonly string[]
}

export interface FreshOfAlias {
  readonly alias: string
  /** UUID of the last exchange that was read. */
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
  /** Maximum of all runs together. */
  readonly maxSteps: number
  readonly seed: number
}

/** Request logging is off for the workspace. */
export class LoggingIsOff extends Error {
  override name = 'LoggingIsOff'
}
