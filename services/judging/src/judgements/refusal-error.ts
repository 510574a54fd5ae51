import { type ErrorCode, errorCatalog } from '@ratchet/contracts/errors'
import type { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'

/**
 * What a caller is told of a refusal by a service that was asked for them.
 *
 * @param ownParam what may be at fault that the caller sent; they know nothing of the rest
 */
export function refusalError(refusal: FleetCallError, ownParam: string): ServiceError {
  const { status, code, message, param } = refusal
  const cause = refusal
  if (status === 502) return new ServiceError('upstream_error', 'The judge did not answer.', { cause })
  if (refusal.mayPass) {
    return new ServiceError('service_unavailable', 'The judge cannot be asked now.', { retryAfterSeconds: 1, cause })
  }
  if (!isErrorCode(code)) return new ServiceError('internal_error', 'The judge could not be asked.', { cause })
  return new ServiceError(code, message, {
    ...(param === ownParam ? { param } : {}),
    ...(code === 'conflict' ? { retryAfterSeconds: 1 } : {}),
    cause,
  })
}

function isErrorCode(code: string | null): code is ErrorCode {
  return code !== null && Object.hasOwn(errorCatalog, code)
}
