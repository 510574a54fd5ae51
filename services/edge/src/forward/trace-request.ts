import type { ServerResponse } from 'node:http'
import { endSpan, startServerSpan, traceHeaders } from '@ratchet/telemetry/spans'
import { contextOf, type EdgeRequest } from '../admission/request-context.ts'

/**
 * Creates a span for the edge: a child of the client's span, and the parent of the service's spans. Without an exporter
 * nothing is recorded, and the client's `traceparent` is forwarded.
 */
export function traceForwarded(request: EdgeRequest, response: ServerResponse, route: string): void {
  const { head } = contextOf(request)
  const span = startServerSpan(`${request.method} ${route}`, request.headers, {
    'http.request.method': request.method,
    'http.route': route,
  })
  const context = traceHeaders(span)
  if (context.traceparent === undefined) return
  const kept = head.forwarded.filter((_, i, all) => !isTraceHeader(all[i - (i % 2)]))
  head.forwarded.splice(0, head.forwarded.length, ...kept, ...Object.entries(context).flat())
  if (span.isRecording()) response.on('close', () => endSpan(span, response.statusCode))
}

function isTraceHeader(name: string | undefined): boolean {
  return name === 'traceparent' || name === 'tracestate'
}
