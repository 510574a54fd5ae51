import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'

export { type Attributes, type Context, type Link, type Span, type SpanContext, SpanKind }

const tracer = trace.getTracer('ratchet')

export type HeaderCarrier = Record<string, string | string[] | undefined>

/** Starts the span of an incoming request, as a child of its `traceparent` if it has one. */
export function startServerSpan(name: string, headers: HeaderCarrier, attributes: Attributes): Span {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
}

/**
 * Runs the handler of a request inside its span, so that its calls become children of the span.
 *
 * @param run gets the span; null when this trace is not recorded, which its calls are informed of too
 */
export function withServerSpan(
  headers: HeaderCarrier,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: (span: Span | null) => void,
): void {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const caller = trace.getSpanContext(parent)
  // The caller decided not to record, so a span would not be recorded either.
  if (caller !== undefined && (caller.traceFlags & TraceFlags.SAMPLED) === 0) {
    context.with(parent, run, undefined, null)
    return
  }
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  context.with(trace.setSpan(parent, span), run, undefined, span.isRecording() ? span : null)
}

/** The current span; null when there is none that is recorded. */
export function recordedSpan(): Span | null {
  const span = trace.getActiveSpan()
  return span?.isRecording() === true ? span : null
}

/** Starts the span of a call under another span. */
export function startClientSpan(parent: Span, name: string, attributes: Attributes): Span {
  return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, trace.setSpan(ROOT_CONTEXT, parent))
}

/**
 * Runs a piece of work as a separate trace, sampled like requests. Rejects when the work does.
 *
 * @param causeOf returns the span that led to the work, if it is known; the trace is linked to it. It is asked again at the
 *   end, because the work can be found before the message about it arrives.
 */
export function traceWork<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  causeOf: () => SpanContext | undefined = () => undefined,
): Promise<T> {
  const cause = causeOf()
  const links = cause === undefined ? [] : [{ context: cause }]
  const span = tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes, links, root: true })
  return context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
    try {
      return await work()
    } catch (error) {
      markFailed(span, errorNameOf(error))
      throw error
    } finally {
      const late = cause === undefined ? causeOf() : undefined
      if (late !== undefined) span.addLink({ context: late })
      span.end()
    }
  })
}

/**
 * Marks the work of a span as failed.
 *
 * @param errorType one of few words, never a message, which might contain content of a request
 */
export function markFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Marks the work of the current span as failed. */
export function failWork(errorType: string): void {
  const span = recordedSpan()
  if (span !== null) markFailed(span, errorType)
}

/** The class of an error. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

/** The `traceparent` header of a call under this span; empty without tracing. */
export function traceHeaders(span: Span): Record<string, string> {
  return trace.isSpanContextValid(span.spanContext()) ? headersOf(trace.setSpan(ROOT_CONTEXT, span)) : {}
}

/**
 * The headers of a call under the current span, recorded or not, so that the callee records the trace only if this
 * process does.
 */
export function activeTraceHeaders(): Record<string, string> {
  return headersOf(context.active())
}

function headersOf(carried: Context): Record<string, string> {
  const carrier: Record<string, string> = {}
  propagation.inject(carried, carrier)
  return carrier
}

/** Ends a span with an HTTP status. 4xx is a failure for the span of a caller but not for that of a server. */
export function endSpan(span: Span, httpStatus: number, failsFrom = 500): void {
  span.setAttribute('http.response.status_code', httpStatus)
  if (httpStatus >= failsFrom) markFailed(span, String(httpStatus))
  span.end()
}
