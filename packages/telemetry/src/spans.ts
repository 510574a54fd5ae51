import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

export { type Attributes, type Context, type Link, type Span, SpanKind }

const tracer = trace.getTracer('ratchet')

export type HeaderCarrier = Record<string, string | string[] | undefined>

/** Starts the span of a request that arrived, as a child of its `traceparent` when it has one. */
export function startServerSpan(name: string, headers: HeaderCarrier, attributes: Attributes): Span {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
}

/**
 * Runs what answers a request inside its span, which the calls that are made meanwhile belong to.
 *
 * @param run gets the span; null when this trace is not recorded, which whoever is called is told too
 */
export function withServerSpan(
  headers: HeaderCarrier,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: (span: Span | null) => void,
): void {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const caller = trace.getSpanContext(parent)
  // Whoever called has decided already; a span of our own would say the same.
  if (caller !== undefined && (caller.traceFlags & TraceFlags.SAMPLED) === 0) {
    context.with(parent, run, undefined, null)
    return
  }
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  context.with(trace.setSpan(parent, span), run, undefined, span.isRecording() ? span : null)
}

/** The span that what runs now belongs to; null when there is none that is recorded. */
export function recordedSpan(): Span | null {
  const span = trace.getActiveSpan()
  return span?.isRecording() === true ? span : null
}

/** Starts the span of a call that is made under another span. */
export function startClientSpan(parent: Span, name: string, attributes: Attributes): Span {
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, trace.setSpan(ROOT_CONTEXT, parent))
}

/**
 * Runs a piece of work as a trace of its own, of which a share is recorded as it is of requests. Fails when the work
 * does.
 */
export function traceWork<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, root: true })
  return context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
    try {
      return await work()
    } catch (error) {
      markFailed(span, errorNameOf(error))
      throw error
    } finally {
      span.end()
    }
  })
}

/** Says that a span's work failed. @param errorType one of few words, never a message: it may hold what was asked */
export function markFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Says of the span that what runs now belongs to that its work failed. */
export function failWork(errorType: string): void {
  const span = recordedSpan()
  if (span !== null) markFailed(span, errorType)
}

/** The class of an error. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/** The `traceparent` header for a call made under this span; empty when there is no tracing. */
export function traceHeaders(span: Span): Record<string, string> {
  return trace.isSpanContextValid(span.spanContext()) ? headersOf(trace.setSpan(ROOT_CONTEXT, span)) : {}
}

/** The same for a call that belongs to what runs now, recorded or not: its callee records no trace that we do not. */
export function activeTraceHeaders(): Record<string, string> {
  return headersOf(context.active())
}

function headersOf(carried: Context): Record<string, string> {
  const carrier: Record<string, string> = {}
  propagation.inject(carried, carrier)
  return carrier
}

/** Ends a span with an HTTP status. A caller's span has failed with 4xx too, a server's has not: it did its work. */
export function endSpan(span: Span, httpStatus: number, failsFrom = 500): void {
  span.setAttribute('http.response.status_code', httpStatus)
  if (httpStatus >= failsFrom) markFailed(span, String(httpStatus))
  span.end()
}
