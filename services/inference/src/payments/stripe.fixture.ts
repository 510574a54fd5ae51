import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { SignedMessage } from './payment-provider.ts'

export const secretKey = 'sk_test_scripted'
export const webhookSecret = 'whsec_scripted'

/** A checkout that somebody opened. */
export interface OpenCheckout {
  readonly id: string
  readonly form: URLSearchParams
  readonly headers: IncomingHttpHeaders
}

/** Stripe as far as a checkout needs it: it opens pages, and signs messages about them. */
export interface ScriptedStripe {
  readonly origin: string
  readonly checkouts: readonly OpenCheckout[]
  /** The answer to the next checkout, instead of a page. */
  answerNext(status: number, body: string): void
  stop(): Promise<void>
}

export async function startScriptedStripe(): Promise<ScriptedStripe> {
  const checkouts: OpenCheckout[] = []
  const scripted: { status: number; body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const next = scripted.shift()
    if (next !== undefined) return response.writeHead(next.status).end(next.body)
    if (request.url !== '/v1/checkout/sessions') return response.writeHead(404).end('{}')
    const id = `cs_${checkouts.length + 1}`
    checkouts.push({ id, form: new URLSearchParams(body), headers: request.headers })
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ id, url: `https://checkout.example/${id}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checkouts,
    answerNext: (status, body) => void scripted.push({ status, body }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export interface PaidChanges {
  readonly eventId?: string
  readonly type?: string
  readonly paymentId?: string
  readonly amountCents?: unknown
  readonly currency?: string
  readonly status?: string
  readonly topUpId?: string
}

/** The message about a checkout that was paid, as Stripe sends it. */
export function paidMessage({ id, form }: OpenCheckout, changes: PaidChanges = {}): string {
  const cents = Number(form.get('line_items[0][price_data][unit_amount]'))
  const { eventId = `evt_${id}`, type = 'checkout.session.completed', paymentId = `pi_${id}` } = changes
  const { amountCents = cents, currency = 'usd', status = 'paid' } = changes
  const object = {
    id,
    object: 'checkout.session',
    client_reference_id: changes.topUpId ?? form.get('client_reference_id'),
    payment_status: status,
    payment_intent: paymentId,
    amount_total: amountCents,
    currency,
  }
  return JSON.stringify({ id: eventId, object: 'event', type, data: { object } })
}

export function signed(payload: string, at: Date, secret: string = webhookSecret): SignedMessage {
  const time = Math.floor(at.getTime() / 1_000)
  const hex = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex')
  return { payload, signature: `t=${time},v1=${hex},v0=${'0'.repeat(64)}` }
}
