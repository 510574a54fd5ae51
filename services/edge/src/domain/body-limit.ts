import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHead } from './read-head.ts'

/** Bytes that a body may have as it is sent: by itself, and compressed where that is taken. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  /** Absent where bodies must not be compressed. */
  readonly maxGzippedBytes?: number
}

/** The limit that counts for one request. */
export function bodyLimit(head: RequestHead, limits: BodyLimits): number {
  return head.isGzipped ? (limits.maxGzippedBytes ?? 0) : limits.maxBodyBytes
}

/**
 * Refuses a declared length over the limit before a byte of the body is read. Bodies without a declared
 * length are counted while they pass.
 *
 * @throws ServiceError `request_too_large`.
 */
export function checkDeclaredLength(head: RequestHead, maxBytes: number): void {
  if ((head.contentLength ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
}

export function bodyTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}
