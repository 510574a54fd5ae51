import type { ExchangeFilter, Place, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'

/** Figures of the exchanges of one trace. */
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
  /** When the first of its steps expires. */
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
  /** JSON text of an object; null when they were not requested. */
  readonly attributes: string | null
}

/** The position of a step of a trace. */
export interface Step extends Place {
  readonly traceId: string
}

export interface StepWalk extends ReadScope {
  readonly filter: ExchangeFilter
  /** Read steps behind this position; null begins with the newest. */
  readonly behind: Place | null
}

/** The number of steps of a trace in the log. Expired steps count until they are swept. */
export interface TraceTraffic {
  readonly id: string
  readonly steps: number
  /** Creation of its newest step. */
  readonly lastAt: Date
}

export interface NewestTraces extends ReadScope {
  readonly minSteps: number
  readonly after: TraceTraffic | null
  readonly limit: number
}

export interface StepPage {
  /** Read steps behind this position; null begins with the oldest. */
  readonly behind: Place | null
  readonly limit: number
}

/** Figures of a trace from its steps. */
export type StepSummary = Omit<TraceSummary, 'errorCount'>

/** Reads the steps of traces: exchanges of one workspace. */
export interface TraceSteps {
  /** Steps that match, the newest first. */
  steps(walk: StepWalk & { readonly limit: number }): Promise<readonly Step[]>
  /** Those of the traces that have a matching step at or before the position `behind`. */
  withStepBefore(walk: StepWalk & { readonly traceIds: readonly string[] }): Promise<readonly string[]>
  /** Traces by their newest step, the newest first. */
  newest(request: NewestTraces): Promise<readonly TraceTraffic[]>
  /** In no order; unknown traces are missing. */
  traffic(scope: ReadScope, traceIds: readonly string[]): Promise<readonly TraceTraffic[]>
  /** In no order; unknown traces are missing. */
  stepSummaries(scope: ReadScope, traceIds: readonly string[]): Promise<readonly StepSummary[]>
  /** The steps of one trace, the oldest first. */
  exchangesOf(scope: ReadScope, traceId: string, page: StepPage): Promise<readonly LoggedExchange[]>
  /** The newest step of one trace; null for an unknown trace. */
  lastOf(scope: ReadScope, traceId: string): Promise<LoggedExchange | null>
}

export interface SpansOfTrace {
  readonly traceId: string
  readonly limit: number
  readonly hasAttributes: boolean
}

export interface SpanId {
  readonly traceId: string
  readonly spanId: string
}

/** Reads the spans that are not exchanges. */
export interface SpanReads {
  /** Number of failed spans by trace; traces without any are missing. */
  errorCounts(scope: ReadScope, traceIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The spans of one trace, in the order of their start, in batches of a megabyte and of 100. */
  spansOf(scope: ReadScope, trace: SpansOfTrace): AsyncIterable<readonly ReadSpan[]>
  /** One span with its attributes; null when there is none. */
  span(scope: ReadScope, id: SpanId): Promise<ReadSpan | null>
}

/** Reads traces of one workspace. */
export interface TraceReads extends Omit<TraceSteps, 'stepSummaries'>, Pick<SpanReads, 'spansOf' | 'span'> {
  /** In no order; unknown traces are missing. */
  summaries(scope: ReadScope, traceIds: readonly string[]): Promise<readonly TraceSummary[]>
}

/** Combines the steps of traces with their spans, which may be in another store. */
export function traceReads(steps: TraceSteps, spans: SpanReads): TraceReads {
  return {
    ...steps,
    spansOf: spans.spansOf,
    span: spans.span,
    async summaries(scope, traceIds) {
      const [summaries, errors] = await Promise.all([
        steps.stepSummaries(scope, traceIds),
        spans.errorCounts(scope, traceIds),
      ])
      return summaries.map((summary) => ({ ...summary, errorCount: errors.get(summary.id) ?? 0 }))
    },
  }
}
