import type { Request } from 'express'
import { ServiceError } from './service-error.ts'

const header = 'Idempotency-Key'

/** The `Idempotency-Key` of a request; null without one. @throws ServiceError 400 for a malformed key */
export function readIdempotencyKey(request: Request): string | null {
  const key = request.get(header)
  if (key === undefined) return null
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw new ServiceError('invalid_request', `${header} must be 1 to 255 visible ASCII characters.`, { param: header })
}

export function usedForAnother(): ServiceError {
  return new ServiceError('idempotency_conflict', `This ${header} was used for a different request.`, { param: header })
}
