import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** What a refused call of a judge is for the user who waits for it. */
export function refusalOfJudge(refusal: FleetCallError): ServiceError {
  return refusalOfCall(refusal, 'A judge')
}

/** @param who is asked, such as `The model` */
export function refusalOfCall(refusal: FleetCallError, who: string): ServiceError {
  const { code, message, status } = refusal
  if (code === 'insufficient_balance') return new ServiceError('insufficient_balance', message, { cause: refusal })
  if (code === 'spend_cap_reached') {
    const text = 'The part of `maxCostUsd` for judges does not cover their first answers. Raise it.'
    return new ServiceError('insufficient_balance', text, { param: 'maxCostUsd', cause: refusal })
  }
  if (status === 502) return new ServiceError('upstream_error', message, { cause: refusal })
  const text = `${who} cannot be asked at the moment. Retry.`
  return new ServiceError('service_unavailable', text, { retryAfterSeconds: 1, cause: refusal })
}
