import { ServiceError } from '@ratchet/service-kit/service-error'
import type { ProviderFailure } from '../wire/provider.ts'

/** Codes that are ours too; a provider's others are in `details`. */
const codes = ['invalid_request', 'context_length_exceeded', 'unsupported_parameter', 'unsupported_tool'] as const

/** What the caller is told of a provider's failure. */
export function errorOfFailure(failure: ProviderFailure): ServiceError {
  const { kind, message, cause } = failure
  switch (kind) {
    case 'refused':
      return refusal(failure)
    case 'timed_out':
      return new ServiceError('request_timeout', message, { cause })
    case 'saturated':
      return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
    case 'throttled':
      return new ServiceError('upstream_error', message, { ...retryAfter(failure), cause })
    case 'unavailable':
    case 'broken':
    case 'misconfigured':
    case 'aborted':
      return new ServiceError('upstream_error', message, { cause })
  }
}

function retryAfter({ retryAfterMs }: ProviderFailure): { retryAfterSeconds?: number } {
  return retryAfterMs === null ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }
}

function refusal({ message, param, code, cause }: ProviderFailure): ServiceError {
  const known = codes.find((each) => each === code)
  return new ServiceError(known ?? 'invalid_request', message, {
    ...(param === undefined ? {} : { param }),
    ...(code === undefined || known !== undefined ? {} : { details: { provider_code: code } }),
    cause,
  })
}
