import {
  type Attributes,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

const tracer = trace.getTracer('ratchet')

export type HeaderCarrier = Record<string, string | string[] | undefined>

/** Starts the span of a request that arrived, as a child of its `traceparent` when it has one. */
export function startServerSpan(name: string, headers: HeaderCarrier, attributes: Attributes): Span {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  return tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
}

/** The `traceparent` header for a call made under this span; empty when nothing is recorded. */
export function traceHeaders(span: Span): Record<string, string> {
  const carrier: Record<string, string> = {}
  if (trace.isSpanContextValid(span.spanContext())) {
    propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier)
  }
  return carrier
}

/** Ends a span with an HTTP status; 5xx marks it failed. */
export function endSpan(span: Span, httpStatus: number): void {
  span.setAttribute('http.response.status_code', httpStatus)
  if (httpStatus >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
