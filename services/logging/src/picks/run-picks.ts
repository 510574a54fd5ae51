import type { ExchangeFilter, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { TraceSummary, TraceTraffic } from '../traces/trace-reads.ts'

/** A run (trace) matches when one of its steps meets all other conditions, and no step has an excluded tag. */
export type RunFilter = Pick<ExchangeFilter, 'model' | 'tag' | 'segment' | 'start' | 'excludedTags'>

export interface RunOrder extends ReadScope {
  readonly filter: RunFilter
  /** Only runs without a step after this time. */
  readonly quietSince: Date
  readonly seed: number
}

/** Figures of a run, from the steps that are in the log. */
export type QuietRun = Pick<TraceSummary, 'id' | 'steps' | 'lastAt' | 'lastFinishReason'>

export interface QuietOrder extends ReadScope, Pick<RunOrder, 'quietSince'> {
  /** The last run that the caller has read; an empty id stands before all runs of that time. */
  readonly after: Pick<TraceTraffic, 'id' | 'lastAt'>
  readonly limit: number
}

/** Picks runs (traces) for services that judge them as a whole. */
export interface RunPicks {
  /** The newest runs that match, at most {@link maxRuns}, in an order that the seed determines. */
  quiet(order: RunOrder): Promise<readonly QuietRun[]>
  /** Runs by the time of their last step, the earliest first; their last steps are after one time and not after another. */
  quietAfter(order: QuietOrder): Promise<readonly TraceTraffic[]>
  /** The steps of these traces, those of each in order. */
  stepsOf(scope: ReadScope, traceIds: readonly string[]): Promise<readonly LoggedExchange[]>
}

/** A sample is drawn from at most so many runs. */
export const maxRuns = 10_000
