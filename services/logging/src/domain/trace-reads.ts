import type { ExchangeFilter, Place, ReadScope } from './exchange-reads.ts'
import type { LoggedExchange } from './logged-exchange.ts'

/** The exchanges of one trace, taken together. */
export interface TraceSummary {
  readonly id: string
  readonly firstAt: Date
  readonly lastAt: Date
  readonly steps: number
  readonly models: readonly string[]
  readonly tags: readonly string[]
  readonly totalTokens: number
  readonly costNano: bigint
  /** Spans that failed. */
  readonly errorCount: number
  readonly lastFinishReason: string | null
  /** When the first step expires. */
  readonly expiresAt: Date
}

export interface ReadSpan {
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly status: string
  /** JSON text of an object. */
  readonly attributes: string
}

/** One step of a trace, found while walking. */
export interface Step extends Place {
  readonly traceId: string
}

export interface StepWalk extends ReadScope {
  readonly filter: ExchangeFilter
  /** Where to go on; null begins with the newest. */
  readonly behind: Place | null
}

/** How many steps of a trace are in the log, expired ones too until they are swept. */
export interface TraceTraffic {
  readonly id: string
  readonly steps: number
  /** Of its newest step. */
  readonly lastAt: Date
}

export interface NewestTraces extends ReadScope {
  readonly minSteps: number
  readonly after: TraceTraffic | null
  readonly limit: number
}

/** What the log answers about traces. */
export interface TraceReads {
  /** Steps that match, the newest first. */
  steps(walk: StepWalk & { readonly limit: number }): Promise<readonly Step[]>
  /** Of these traces the ones with a step that matches and is not behind the place. */
  withStepBefore(walk: StepWalk & { readonly traceIds: readonly string[] }): Promise<readonly string[]>
  /** Traces by their newest step, the newest first. */
  newest(request: NewestTraces): Promise<readonly TraceTraffic[]>
  /** In no order; what does not exist is missing. */
  traffic(scope: ReadScope, traceIds: readonly string[]): Promise<readonly TraceTraffic[]>
  /** In no order; what does not exist is missing. */
  summaries(scope: ReadScope, traceIds: readonly string[]): Promise<readonly TraceSummary[]>
  /** The steps of one trace, the first one first. */
  exchangesOf(scope: ReadScope, traceId: string, limit: number): Promise<readonly LoggedExchange[]>
  /** What else is known of one trace, in the order in which it began, a few megabytes at a time. */
  spansOf(scope: ReadScope, traceId: string, limit: number): AsyncIterable<readonly ReadSpan[]>
}
