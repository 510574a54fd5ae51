import type { ServerResponse } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ForwarderOptions } from './forwarder.ts'

type FailureOptions = Pick<ForwarderOptions, 'events' | 'service' | 'stalledClientMs'>

/** `unreachable` means that the service cannot have received the request. */
export type NoAnswer = 'unreachable' | 'no-answer'

/** Counts a request that a service did not answer: 503 when it cannot have received the request, else 502. */
export function unanswered({ events, service }: FailureOptions, reason: NoAnswer, cause: unknown): ServiceError {
  events.upstreamFailed(service, reason)
  if (reason === 'unreachable') {
    return new ServiceError('service_unavailable', 'The service behind this URL is unavailable. Retry.', {
      retryAfterSeconds: 1,
      cause,
    })
  }
  return new ServiceError('upstream_error', 'The service behind this URL failed to answer.', { cause })
}

/** A 401 of a service is not the caller's fault: the service refused the identity that the edge signed. */
export function identityRefused({ events, service }: FailureOptions, requestId: string): ServiceError {
  events.identityRefused(service, requestId)
  return new ServiceError('upstream_error', 'The service behind this URL did not accept the request.')
}

/** Delivers the part of the answer that arrived, then cuts the connection without an end of the answer. */
export function cutOff({ events, service, stalledClientMs }: FailureOptions, response: ServerResponse): void {
  events.upstreamFailed(service, 'cut')
  cutAnswer(response, stalledClientMs)
}

/**
 * Ends a connection in the middle of an answer: what was written is delivered, and the client notices that the answer is
 * incomplete. Without a length or chunks (HTTP/1.0) only a reset shows that.
 */
function cutAnswer(response: ServerResponse, maxDeliveryMs: number): void {
  const { socket } = response
  // Another answer on the connection comes first; this one is ended after it.
  if (socket === null) return void response.destroy()
  if (response.req.httpVersion === '1.0') return void socket.resetAndDestroy()
  socket.setTimeout(maxDeliveryMs, () => socket.destroy())
  socket.destroySoon()
}
