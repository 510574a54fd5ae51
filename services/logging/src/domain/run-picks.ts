import type { ExchangeFilter, ReadScope } from './exchange-reads.ts'
import type { LoggedExchange } from './logged-exchange.ts'
import type { TraceSummary } from './trace-reads.ts'

/** Runs with a step for which all of these hold. */
export type RunFilter = Pick<ExchangeFilter, 'model' | 'tag' | 'segment'>

export interface RunOrder extends ReadScope {
  readonly filter: RunFilter
  /** No step of theirs came after this. */
  readonly quietSince: Date
  readonly seed: number
}

/** A run as far as its steps are in the log. */
export type QuietRun = Pick<TraceSummary, 'id' | 'steps' | 'lastAt' | 'lastFinishReason'>

/** What services that work on runs pick from the log. */
export interface RunPicks {
  /** The newest runs that match, at most {@link maxRuns}, in an order that the seed decides. */
  quiet(order: RunOrder): Promise<readonly QuietRun[]>
  /** The steps of these traces, those of each in order. */
  stepsOf(scope: ReadScope, traceIds: readonly string[]): Promise<readonly LoggedExchange[]>
}

/** Runs that a sample is drawn from at most. */
export const maxRuns = 10_000
