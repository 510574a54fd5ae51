import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EdgeEvents } from '../events.ts'
import { cleanTarget } from './clean-target.ts'
import type { EndpointIndex } from './endpoint-index.ts'
import { compressedBody, type ReadHead } from './read-head.ts'
import type { EdgeRequest } from './request-context.ts'

/**
 * The first step of every request. It refuses ambiguous ones before any other code reads them.
 *
 * @returns a function that sets the context of a request, and throws ServiceError
 */
export function guardRequest(readHead: ReadHead, index: EndpointIndex, events: EdgeEvents) {
  return (request: EdgeRequest): void => {
    if (request.method === 'TRACE') throw new ServiceError('invalid_request', 'TRACE is not supported.')
    const target = cleanTarget(request.url)
    const head = readHead(request.rawHeaders)
    if (head.hostCount === 0 && request.httpVersion !== '1.0') {
      throw new ServiceError('invalid_request', 'The request has no Host header.')
    }
    if (head.isChunked && request.httpVersion === '1.0') {
      // Its length is ambiguous: HTTP/1.0 has no transfer codings, so a proxy may have read another end (RFC 9112, 6.1).
      throw new ServiceError('invalid_request', 'HTTP/1.0 has no Transfer-Encoding.')
    }
    if (head.isGzipped && !takesGzip(index, request.method, target.path)) throw compressedBody()
    if (head.spoofedCount > 0) events.headersSpoofed(head.spoofedCount)
    request.context = { target, head }
  }
}

function takesGzip(index: EndpointIndex, method: string, path: string): boolean {
  const lookup = index.find(method, path)
  return lookup.kind === 'found' && lookup.endpoint.maxGzippedBytes !== null
}
