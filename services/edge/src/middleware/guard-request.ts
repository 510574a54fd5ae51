import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHandler } from 'express'
import { cleanTarget } from '../domain/clean-target.ts'
import { compressedBody, type ReadHead } from '../domain/read-head.ts'
import type { EdgeEvents } from '../events.ts'
import { type Route, routeOf } from '../routing-table.ts'

/** The first thing a request meets: what could be read in two ways is refused before anything looks at it. */
export function guardRequest(readHead: ReadHead, routes: readonly Route[], events: EdgeEvents): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'TRACE') throw new ServiceError('invalid_request', 'TRACE is not answered here.')
    const target = cleanTarget(request.url)
    const head = readHead(request.rawHeaders)
    if (head.hostCount === 0 && request.httpVersion !== '1.0') {
      throw new ServiceError('invalid_request', 'The request has no Host header.')
    }
    if (head.isGzipped && routeOf(routes, target.path)?.maxGzippedBytes === undefined) throw compressedBody()
    if (head.spoofedCount > 0) events.headersSpoofed(head.spoofedCount)
    request.passage = { target, head }
    next()
  }
}
