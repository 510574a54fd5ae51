import { endSpan, startServerSpan, traceHeaders } from '@ratchet/telemetry/spans'
import type { Request, Response } from 'express'
import { clearedPassageOf } from '../passage.ts'

/**
 * Makes the edge's hop a span, child of the caller's, and the service's spans children of it. Without an
 * exporter there is nothing to record and the caller's own `traceparent` is passed on.
 */
export function traceExchange(request: Request, response: Response): void {
  const { head, destination } = clearedPassageOf(request)
  const span = startServerSpan(`${request.method} ${destination.pattern}`, request.headers, {
    'http.request.method': request.method,
    'http.route': destination.pattern,
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
