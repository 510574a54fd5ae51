import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** How inference answered a credit or a correction; status 0 without an answer. */
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

/** The same of a correction, which may also take more than is free. */
export function correctionRefusalOf(refusal: CreditRefusal): ServiceError {
  if (refusal.code === 'insufficient_balance') {
    const message = 'The wallet has less that is free: what running requests hold is not taken.'
    return new ServiceError('conflict', message, { param: 'amount_nano' })
  }
  if (refusal.code === 'conflict') {
    return new ServiceError('conflict', 'The reference was used for something else.', { param: 'reference' })
  }
  const message = 'The ledger does not answer. Send the same correction again: it is made once.'
  return new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause: refusal })
}
