import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EdgeEvents } from '../events.ts'
import { cleanTarget } from './clean-target.ts'
import { isDashboardPath } from './dashboard-paths.ts'
import type { EndpointIndex } from './endpoint-index.ts'
import { ownTarget } from './own-target.ts'
import { compressedBody, type ReadHead } from './read-head.ts'
import type { EdgeRequest } from './request-context.ts'

export interface GuardOptions {
  readonly readHead: ReadHead
  /** Reads the heads of browsers, for the dashboard; null where there is no dashboard. */
  readonly readBrowserHead: ReadHead | null
  readonly index: EndpointIndex
  readonly events: EdgeEvents
}

/**
 * The first step of every request. It refuses ambiguous ones before any other code reads them.
 *
 * @returns a function that sets the context of a request, and throws ServiceError
 */
export function guardRequest({ readHead, readBrowserHead, index, events }: GuardOptions) {
  return (request: EdgeRequest): void => {
    if (request.method === 'TRACE') throw noTrace()
    const { target, model } = ownTarget(cleanTarget(request.url))
    const isForDashboard = readBrowserHead !== null && isDashboardPath(target.path)
    const head = isForDashboard ? readBrowserHead(request.rawHeaders) : readHead(request.rawHeaders)
    if (head.hostCount === 0 && request.httpVersion !== '1.0') {
      throw new ServiceError('invalid_request', 'The request has no Host header.')
    }
    if (head.isChunked && request.httpVersion === '1.0') {
      // Its length is ambiguous: HTTP/1.0 has no transfer codings, so a proxy may have read another end (RFC 9112, 6.1).
      throw new ServiceError('invalid_request', 'HTTP/1.0 has no Transfer-Encoding.')
    }
    if (head.isGzipped && !takesGzip(index, request.method, target.path)) throw compressedBody()
    if (head.spoofedCount > 0) events.headersSpoofed(head.spoofedCount)
    request.context = { target, model, head, isForDashboard }
  }
}

/** The same for every URL, because a caller without a key must not learn which URLs exist. */
function noTrace(): ServiceError {
  const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE'
  return new ServiceError('method_not_allowed', 'TRACE is not supported.', { headers: { allow } })
}

function takesGzip(index: EndpointIndex, method: string, path: string): boolean {
  const lookup = index.find(method, path)
  return lookup.kind === 'found' && lookup.endpoint.maxGzippedBytes !== null
}
