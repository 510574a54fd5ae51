import './express-request.ts'
import { endSpan, withServerSpan } from '@ratchet/telemetry/spans'
import type { RequestHandler } from 'express'

/**
 * Makes a request that came past the edge a span, child of the caller's, named by the route that it turns out to take.
 * Whether it is recorded the caller has decided; a request that names no trace begins one.
 */
export const traceRequest: RequestHandler = (request, response, next) => {
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
