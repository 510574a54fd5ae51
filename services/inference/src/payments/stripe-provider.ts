import { type CollectedAnswer, collectAnswer } from '@ratchet/http/collect-answer'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { parseJson } from '@ratchet/service-kit/values/json'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import type { Checkout, Payment, PaymentProvider } from './payment-provider.ts'
import { isSignedByStripe } from './stripe-signature.ts'

export interface StripeOptions {
  /** Connections to Stripe. */
  readonly upstream: Dispatcher
  readonly secretKey: string
  readonly webhookSecret: string
  readonly now: () => Date
}

/** The version whose fields this file reads. */
const apiVersion = '2025-03-31.basil'
const clocks = { firstByteMs: 15_000, idleMs: 5_000, totalMs: 20_000 }
const maxAnswerBytes = 262_144

const Session = z.object({ id: z.string().min(1).max(200), url: z.url({ protocol: /^https$/ }) })

/** Events that report that a checkout was paid. */
const paidEvents = ['checkout.session.completed', 'checkout.session.async_payment_succeeded']

const Event = z.object({ id: z.string().min(1).max(200), type: z.string(), data: z.object({ object: z.unknown() }) })
const PaidSession = z.object({
  id: z.string().min(1).max(200),
  client_reference_id: z.uuid(),
  payment_status: z.string(),
  payment_intent: z.string().min(1).max(200),
  amount_total: z.int().min(1),
  currency: z.string(),
})

/** Stripe's hosted checkout. No card number ever reaches the gateway. */
export function createStripeProvider({ upstream, secretKey, webhookSecret, now }: StripeOptions): PaymentProvider {
  return {
    name: 'stripe',
    async start(checkout) {
      const body = Buffer.from(formOf(checkout).toString())
      const headers = {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(body.length),
        'stripe-version': apiVersion,
        'idempotency-key': checkout.topUpId,
      }
      const request = { method: 'POST', path: '/v1/checkout/sessions', headers, body, clocks } as const
      const { id: checkoutId, url } = sessionOf(
        await collectAnswer(upstream, request, { maxBytes: maxAnswerBytes }).catch(unreachable),
      )
      return { checkoutId, url }
    },
    read(message) {
      if (!isSignedByStripe(message, webhookSecret, now())) {
        throw new ServiceError('invalid_request', 'The signature is not valid.', { param: 'signature' })
      }
      return paymentOf(message.payload)
    },
  }
}

function formOf({ topUpId, amountCents, returnUrl }: Checkout): URLSearchParams {
  return new URLSearchParams({
    mode: 'payment',
    client_reference_id: topUpId,
    success_url: returnUrl,
    cancel_url: returnUrl,
    'line_items[0][quantity]': '1',
    'line_items[0][price_data][currency]': 'usd',
    'line_items[0][price_data][unit_amount]': String(amountCents),
    'line_items[0][price_data][product_data][name]': 'Credit',
  })
}

function sessionOf({ status, body }: CollectedAnswer): z.infer<typeof Session> {
  const session = Session.safeParse(parseJson(body.toString()))
  if (status === 200 && session.success) return session.data
  throw new ServiceError('upstream_error', 'The payment provider did not open a page. Try again later.', {
    cause: new Error(`Stripe answered ${status}`),
  })
}

function unreachable(cause: unknown): never {
  throw new ServiceError('upstream_error', 'The payment provider cannot be reached. Try again later.', { cause })
}

/** Null for an event about anything else, and for a checkout that is not paid yet. */
function paymentOf(payload: string): Payment | null {
  const event = Event.safeParse(parseJson(payload))
  if (!event.success || !paidEvents.includes(event.data.type)) return null
  const session = PaidSession.safeParse(event.data.data.object)
  if (!session.success || session.data.payment_status !== 'paid') return null
  const { id: checkoutId, client_reference_id: topUpId, payment_intent: paymentId, ...paid } = session.data
  return {
    eventId: event.data.id,
    topUpId,
    checkoutId,
    paymentId,
    amountCents: paid.amount_total,
    currency: paid.currency,
  }
}
