import type { Endpoint } from '@ratchet/contracts/endpoint'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { RequestHead } from './read-head.ts'

/** Of an endpoint, or of the dashboard. */
export type BodyLimits = Pick<Endpoint, 'maxBodyBytes' | 'maxGzippedBytes'>

/** The limit that applies to one request, bytes. */
export function bodyLimit(head: RequestHead, limits: BodyLimits): number {
  return head.isGzipped ? (limits.maxGzippedBytes ?? 0) : limits.maxBodyBytes
}

/**
 * Refuses a declared length over the limit before the body is read. Bodies without a declared length are counted while
 * they are forwarded.
 *
 * @throws ServiceError `request_too_large`
 */
export function checkDeclaredLength(head: RequestHead, maxBytes: number): void {
  if ((head.contentLength ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
}

export function bodyTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}
