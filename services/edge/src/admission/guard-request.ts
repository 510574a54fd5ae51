import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { RequestHandler } from 'express'
import type { EdgeEvents } from '../events.ts'
import { cleanTarget } from './clean-target.ts'
import type { EndpointIndex } from './endpoint-index.ts'
import { compressedBody, type ReadHead } from './read-head.ts'

/** The first middleware. It refuses ambiguous requests before any other code reads them. */
export function guardRequest(readHead: ReadHead, index: EndpointIndex, events: EdgeEvents): RequestHandler {
  return (request, _response, next) => {
    if (request.method === 'TRACE') throw new ServiceError('invalid_request', 'TRACE is not supported.')
    const target = cleanTarget(request.url)
    const head = readHead(request.rawHeaders)
    if (head.hostCount === 0 && request.httpVersion !== '1.0') {
      throw new ServiceError('invalid_request', 'The request has no Host header.')
    }
    if (head.isGzipped && !takesGzip(index, request.method, target.path)) throw compressedBody()
    if (head.spoofedCount > 0) events.headersSpoofed(head.spoofedCount)
    request.context = { target, head }
    next()
  }
}

function takesGzip(index: EndpointIndex, method: string, path: string): boolean {
  const lookup = index.find(method, path)
  return lookup.kind === 'found' && lookup.endpoint.maxGzippedBytes !== null
}
