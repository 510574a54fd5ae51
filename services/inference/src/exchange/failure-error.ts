import { ServiceError } from '@ratchet/service-kit/service-error'
import type { ProviderFailure } from '../providers/provider.ts'

/** Codes of OpenAI's that clients branch on; a provider's other codes are in `details`. */
const codes = ['context_length_exceeded', 'unsupported_parameter', 'unsupported_tool'] as const

/** What the caller is told of a provider's failure. */
export function errorOfFailure({ kind, message, cause, param, code }: ProviderFailure): ServiceError {
  switch (kind) {
    case 'refused':
      return new ServiceError(codes.find((known) => known === code) ?? 'invalid_request', message, {
        ...(param === undefined ? {} : { param }),
        ...(code === undefined ? {} : { details: { provider_code: code } }),
        cause,
      })
    case 'timed_out':
      return new ServiceError('request_timeout', message, { cause })
    case 'saturated':
      return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
    case 'throttled':
    case 'unavailable':
    case 'broken':
    case 'misconfigured':
    case 'aborted':
      return new ServiceError('upstream_error', message, { cause })
  }
}
