import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ProviderFailure } from '../wire/provider.ts'

/** Error codes of providers that the public API has too. Any other code is passed on in `details`. */
const sharedCodes = ['invalid_request', 'context_length_exceeded', 'unsupported_parameter', 'unsupported_tool'] as const

/** The error that a client gets for a failure of a provider. */
export function errorOfFailure(failure: ProviderFailure): ServiceError {
  const { kind, message, cause } = failure
  switch (kind) {
    case 'refused':
      return refusal(failure)
    case 'timed_out':
      return new ServiceError('request_timeout', message, { cause })
    case 'saturated':
    case 'no_room':
      return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
    case 'throttled':
      return new ServiceError('upstream_error', message, { ...retryAfter(failure), ...answered(failure), cause })
    case 'unavailable':
    case 'broken':
    case 'misconfigured':
    case 'aborted':
      return new ServiceError('upstream_error', message, { ...answered(failure), cause })
  }
}

/** A failure of a provider is always a 502; the status of the provider's own answer shows what to do about it. */
function answered({ status }: ProviderFailure): { details?: { readonly provider_status: number } } {
  return status === undefined ? {} : { details: { provider_status: status } }
}

function retryAfter({ retryAfterMs }: ProviderFailure): { retryAfterSeconds?: number } {
  return retryAfterMs === null ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }
}

function refusal({ message, param, code, cause }: ProviderFailure): ServiceError {
  const known = sharedCodes.find((each) => each === code)
  return new ServiceError(known ?? 'invalid_request', message, {
    ...(param === undefined ? {} : { param }),
    ...(code === undefined || known !== undefined ? {} : { details: { provider_code: code } }),
    cause,
  })
}
