import { ServiceError } from '@ratchet/service-kit/service-error'
import type { ProviderFailure } from '../providers/provider.ts'

/** What the caller is told of a provider's failure. */
export function errorOfFailure({ kind, message, cause }: ProviderFailure): ServiceError {
  switch (kind) {
    case 'refused':
      return new ServiceError('invalid_request', message, { cause })
    case 'timed_out':
      return new ServiceError('request_timeout', message, { cause })
    case 'throttled':
    case 'unavailable':
    case 'misconfigured':
    case 'aborted':
      return new ServiceError('upstream_error', message, { cause })
  }
}
