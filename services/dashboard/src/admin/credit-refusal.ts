import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** How inference answered a credit; status 0 without an answer. */
export interface CreditRefusal {
  readonly status: number
  readonly code: string | null
}

/** A used reference is the operator's mistake. Everything else is ours, and the same credit may be sent again. */
export function creditRefusalOf(refusal: CreditRefusal): ServiceError {
  if (refusal.code === 'conflict') {
    return new ServiceError('conflict', 'The reference was used for another credit.', { param: 'reference' })
  }
  const message = 'The ledger does not answer. Send the same credit again: it is made once.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: refusal })
}
