import { endSpan, withServerSpan } from '@ratchet/telemetry/spans'
import type { ServedRequest, ServedResponse } from './served.ts'

/**
 * Creates a span for a request, as a child of the caller's span, with the name of its route. The caller decides whether it
 * is recorded. A request without a trace begins one.
 */
export function traceRequest(request: ServedRequest, response: ServedResponse, next: () => void): void {
  const attributes = { 'http.request.method': request.method }
  withServerSpan(request.headers, { name: request.method, attributes }, (span) => {
    if (span !== null) {
      response.once('close', () => {
        const { routeName } = request
        if (routeName !== undefined)
          span.updateName(`${request.method} ${routeName}`).setAttribute('http.route', routeName)
        endSpan(span, response.statusCode)
      })
    }
    next()
  })
}
