import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** How inference answered, when it did not take a message; status 0 without an answer. */
export interface Refusal {
  readonly status: number
  readonly message: string
}

/** A forged message and an installation without Stripe are final. Everything else passes, so that Stripe repeats it. */
export function refusalOf(refusal: Refusal): ServiceError {
  if (refusal.status === 400) return new ServiceError('invalid_request', 'The message is not accepted.')
  if (refusal.status === 404) return new ServiceError('not_found', 'This installation takes no payments.')
  const message = 'The message cannot be taken at the moment. Retry.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 5, cause: refusal })
}
