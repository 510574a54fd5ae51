import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Types of a body that a form of another site cannot send without the browser asking first, and those of uploads. */
const bodyTypes = new Set(['application/json', 'application/jsonl', 'application/x-ndjson', 'multipart/form-data'])

const safeMethods = new Set(['GET', 'HEAD'])

export interface OriginCheck {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Where browsers open the dashboard. */
  readonly origins: readonly string[]
}

/**
 * Refuses a request that changes something unless a page of the dashboard itself sent it. A browser adds the session's cookie
 * whoever sends the request, so the cookie alone proves nothing.
 *
 * @throws ServiceError 403, or 415 for a body that a form of another site can send
 */
export function requireSameOrigin({ method, headers, origins }: OriginCheck): void {
  if (safeMethods.has(method)) return
  const site = headers['sec-fetch-site']
  const isOwn = site === undefined ? origins.includes(headers.origin ?? '') : site === 'same-origin'
  if (!isOwn) throw new ServiceError('insufficient_permissions', 'This request did not come from the dashboard.')
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if ((hasBody || type !== undefined) && !bodyTypes.has(type ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as application/json.', { param: 'Content-Type' })
  }
}

/** On one machine, browsers open the dashboard by either name. */
export function originsOf(origin: string): readonly [string, ...string[]] {
  const url = new URL(origin)
  const loopback: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }
  const other = loopback[url.hostname]
  if (other === undefined) return [url.origin]
  const alternative = new URL(url)
  alternative.hostname = other
  return [url.origin, alternative.origin]
}
