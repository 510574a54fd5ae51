import { receivePayment } from '@ratchet/contracts/billing'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { countJson } from '@ratchet/service-kit/http/json-budget'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import express, { type Request, type Response, type Router } from 'express'
import { refusalOf } from './refusal-of.ts'

export interface PaymentDeps {
  readonly inference: Pick<FleetClient, 'call'>
}

const path = '/api/payments/stripe'
const maxBytes = 262_144
/** Messages that are passed on at the same time. Stripe repeats the others. */
const maxAtOnce = 16
/** Milliseconds for the body. Stripe sends it at once. */
const maxReadMs = 5_000
const signatureShape = /^t=\d{1,12},[\x20-\x7e]{1,1900}$/

/**
 * Messages of Stripe, which has neither session nor key: inference checks its signature. Every failure on our side is a 503,
 * because Stripe repeats a message until it was taken.
 */
export function paymentRoutes(router: Router, { inference }: PaymentDeps): void {
  let running = 0
  router.post(path, async (request, response) => {
    request.routeName = path
    const signature = String(request.headers['stripe-signature'] ?? '')
    if (!signatureShape.test(signature)) {
      throw new ServiceError('invalid_request', 'The message is not signed.', { param: 'Stripe-Signature' })
    }
    // Anybody may send a message, and slowly. So one takes a place only when it is complete.
    const payload = (await readBytes(request, response)).toString('utf8')
    if (running >= maxAtOnce) {
      throw new ServiceError('service_unavailable', 'Too many messages at once. Retry.', { retryAfterSeconds: 1 })
    }
    running += 1
    try {
      const input = { params: { provider: 'stripe' as const }, body: { payload, signature } }
      response.json(await inference.call(receivePayment, input, fleetIdentity))
    } catch (error) {
      throw error instanceof FleetCallError ? refusalOf(error) : error
    } finally {
      running -= 1
    }
  })
}

/**
 * The signature is of the exact bytes, so they are read as they are, whatever their type. Each message counts as one of
 * another owner, so that small ones are read whatever others send.
 */
function readBytes(request: Request, response: Response): Promise<Buffer> {
  request.bodyOwner = `payment ${request.id}`
  return new Promise((resolve, reject) => {
    const late = () => reject(new ServiceError('request_timeout', 'The message did not come in time.'))
    const timer = setTimeout(late, maxReadMs)
    response.once('close', () => clearTimeout(timer))
    countJson(request, response, reject)
    express.raw({ limit: maxBytes, inflate: false, type: () => true })(request, response, (error: unknown) => {
      if (error !== undefined) reject(error)
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
    })
  })
}
