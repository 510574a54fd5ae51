import type { Request } from 'express'
import { bodyLimit } from '../domain/body-limit.ts'
import { clearedPassageOf } from '../passage.ts'
import { BodyStream } from './body-stream.ts'

export type RequestBody = Buffer | BodyStream | null

/** Bytes up to which putting a body's pieces together costs less than a stream of them. */
const smallBodyBytes = 16_384

/**
 * A request's body as it goes up. A small one that has arrived whole by now, as they have after the key
 * look-up, goes in one buffer and one packet; anything else as a counted stream.
 */
export function requestBody(request: Request): RequestBody {
  const { head, destination } = clearedPassageOf(request)
  if (!head.isChunked && (head.contentLength ?? 0) === 0) return null
  const isSmall = head.contentLength !== null && head.contentLength <= smallBodyBytes
  if (isSmall && request.readableLength === head.contentLength) return request.read() as Buffer
  return new BodyStream(request, bodyLimit(head, destination.route))
}
