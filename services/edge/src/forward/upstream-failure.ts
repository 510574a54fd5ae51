import { ServiceError } from '@ratchet/service-kit/service-error'

/** What a caller hears when a service fails: 503 when it cannot have seen the request, else 502. */
export function upstreamFailure(reason: 'unreachable' | 'no-answer', cause: unknown): ServiceError {
  if (reason === 'unreachable') {
    return new ServiceError('service_unavailable', 'The service behind this URL cannot be reached at the moment.', {
      retryAfterSeconds: 1,
      cause,
    })
  }
  return new ServiceError('upstream_error', 'The service behind this URL failed to answer.', { cause })
}
