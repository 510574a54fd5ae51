import { bodyLimit } from '../admission/body-limit.ts'
import { contextOf, type EdgeRequest } from '../admission/request-context.ts'
import { BodyStream } from './body-stream.ts'

export type RequestBody = Buffer | BodyStream | null

/** Up to this size, one buffer costs less than a stream, bytes. */
const smallBodyBytes = 16_384

/**
 * Returns a request's body for the service. A small one has usually arrived completely while the key was read, and is
 * sent as one buffer in one packet. Others are counted streams. A compressed body is decompressed.
 */
export function requestBody(request: EdgeRequest): RequestBody {
  const { head, limits } = contextOf(request)
  const { contentLength, isChunked, isGzipped } = head
  if (!isChunked && (contentLength ?? 0) === 0) return null
  const isSmall = !isGzipped && contentLength !== null && contentLength <= smallBodyBytes
  if (isSmall && request.readableLength === contentLength) return request.read() as Buffer
  if (limits === undefined) throw new Error('requestBody() on a request that was not admitted')
  return new BodyStream(request, {
    maxBytes: bodyLimit(head, limits),
    length: isChunked || isGzipped ? null : contentLength,
    maxInflatedBytes: isGzipped ? limits.maxBodyBytes : null,
  })
}
