import { CallFailed } from '@ratchet/http/collect-answer'
import {
  activeTraceHeaders,
  endSpan,
  errorNameOf,
  markFailed,
  recordedSpan,
  startClientSpan,
  traceHeaders,
} from '@ratchet/telemetry/spans'

export interface FleetCallFacts {
  /** The service that is called. */
  readonly audience: string
  readonly method: string
  /** A pattern, never a path, because paths contain ids. */
  readonly route: string | undefined
}

/** The span of a call inside the fleet. */
export interface FleetSpan {
  /** Headers that continue the trace in the called service. */
  readonly headers: Readonly<Record<string, string>>
  answered(status: number): void
  failed(cause: unknown): void
}

/** Creates the span as a child of the current one. Without a current span it creates none; the called service may. */
export function startFleetSpan({ audience, method, route }: FleetCallFacts): FleetSpan {
  const parent = recordedSpan()
  if (parent === null) return { headers: activeTraceHeaders(), answered() {}, failed() {} }
  const name = route === undefined ? `${method} ${audience}` : `${method} ${route}`
  const span = startClientSpan(parent, name, {
    'http.request.method': method,
    'service.peer.name': audience,
    ...(route === undefined ? {} : { 'url.template': route }),
  })
  return {
    headers: traceHeaders(span),
    answered: (status) => endSpan(span, status, 400),
    failed(cause) {
      markFailed(span, cause instanceof CallFailed ? cause.kind : errorNameOf(cause))
      span.end()
    },
  }
}
