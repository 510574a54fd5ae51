import { ServiceError } from '@ratchet/service-kit/service-error'
import type { RequestHandler } from 'express'
import { clearedPassageOf } from '../passage.ts'

/**
 * Refuses a declared length over the route's limit before a byte of it is read; bodies without a
 * declared length are counted while they pass. Only then is a client that asks told to go on.
 */
export const limitBody: RequestHandler = (request, response, next) => {
  const { head, destination } = clearedPassageOf(request)
  if ((head.contentLength ?? 0) > destination.route.maxBodyBytes) throw bodyTooLarge(destination.route.maxBodyBytes)
  if (head.expectsContinue) response.writeContinue()
  next()
}

export function bodyTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
}
