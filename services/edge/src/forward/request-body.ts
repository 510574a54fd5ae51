import { bodyLimit } from '../admission/body-limit.ts'
import { admittedContextOf, type EdgeRequest } from '../admission/request-context.ts'
import { BodyStream } from './body-stream.ts'

export type RequestBody = Buffer | BodyStream | null

/** Up to this size, one buffer costs less than a stream, bytes. */
const smallBodyBytes = 16_384

/**
 * Returns a request's body for the service. A small one has usually arrived completely while the key was read, and is
 * sent as one buffer in one packet. Others are counted streams.
 */
export function requestBody(request: EdgeRequest): RequestBody {
  const { head, endpoint } = admittedContextOf(request)
  if (!head.isChunked && (head.contentLength ?? 0) === 0) return null
  const isSmall = head.contentLength !== null && head.contentLength <= smallBodyBytes
  if (isSmall && request.readableLength === head.contentLength) return request.read() as Buffer
  return new BodyStream(request, bodyLimit(head, endpoint))
}
