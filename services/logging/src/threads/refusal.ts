import type { ErrorCode } from '@ratchet/contracts/errors'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** An error for the client as a value, because a class does not survive the way from a thread. */
export interface Refusal {
  readonly kind: 'refused'
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
}

/** @throws the error itself when it is not for the client */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ServiceError)) throw error
  const { code, message, param } = error
  return { kind: 'refused', code, message, param }
}

export function errorOf({ code, message, param }: Refusal): ServiceError {
  return new ServiceError(code, message, param === null ? {} : { param })
}
