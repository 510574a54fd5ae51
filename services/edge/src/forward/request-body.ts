import type { Request } from 'express'
import { clearedPassageOf } from '../passage.ts'
import { BodyStream } from './body-stream.ts'

export type RequestBody = Buffer | BodyStream | null

/**
 * A request's body as it goes up. What has arrived whole by now, as small bodies have after the key
 * look-up, goes in one buffer and one packet; anything else as a counted stream.
 */
export function requestBody(request: Request): RequestBody {
  const { head, destination } = clearedPassageOf(request)
  if (!head.isChunked && (head.contentLength ?? 0) === 0) return null
  if (head.contentLength !== null && request.readableLength === head.contentLength) {
    return request.read() as Buffer
  }
  return new BodyStream(request, destination.route.maxBodyBytes)
}
