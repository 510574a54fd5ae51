import { type ErrorCode, errorCatalog } from '@ratchet/contracts/errors'
import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * The error for a caller whose request made inference refuse a call.
 *
 * @param ownParam the only parameter of the call that the caller sent, and that the error may name
 */
export function refusalError(refusal: FleetCallError, ownParam: string): ServiceError {
  const { status, code, message, param } = refusal
  const cause = refusal
  if (status === 502) return new ServiceError('upstream_error', 'The judge did not answer.', { cause })
  if (refusal.mayPass) {
    return new ServiceError('service_unavailable', 'The judge is unavailable. Retry.', { retryAfterSeconds: 1, cause })
  }
  if (!isErrorCode(code)) return new ServiceError('internal_error', 'The judge could not be called.', { cause })
  return new ServiceError(code, message, {
    ...(param === ownParam ? { param } : {}),
    ...(code === 'conflict' ? { retryAfterSeconds: 1 } : {}),
    cause,
  })
}

function isErrorCode(code: string | null): code is ErrorCode {
  return code !== null && Object.hasOwn(errorCatalog, code)
}
