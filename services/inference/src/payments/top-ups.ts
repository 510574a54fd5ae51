import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Credit } from '../billing/sharded-accounts.ts'
import type { Payment, PaymentProvider, SignedMessage } from './payment-provider.ts'

export interface TopUp {
  readonly id: string
  readonly workspaceId: string
  readonly amountNano: bigint
  readonly status: 'pending' | 'credited' | 'refused'
  readonly createdBy: string
  readonly createdAt: Date
  readonly endedAt: Date | null
}

/** A top-up as a payment of it finds it. */
export interface PaidTopUp extends TopUp {
  readonly checkoutId: string | null
}

export interface TopUpStore {
  create(topUp: Omit<TopUp, 'status' | 'endedAt'> & { readonly provider: string }): Promise<void>
  /** Notes the page of a top-up. */
  setCheckout(id: string, workspaceId: string, checkoutId: string): Promise<void>
  /** Null for an id that is not a top-up of this provider. */
  find(id: string, provider: string): Promise<PaidTopUp | null>
  list(workspaceId: string): Promise<readonly TopUp[]>
  /** Binds a payment to a top-up. False when the payment has another top-up, or the top-up another payment. */
  claimPayment(id: string, workspaceId: string, paymentId: string): Promise<boolean>
  /** Ends a pending top-up; has no effect on one that ended. */
  end(id: string, workspaceId: string, status: 'credited' | 'refused', at: Date): Promise<void>
  isKnownEvent(provider: string, eventId: string): Promise<boolean>
  noteEvent(provider: string, eventId: string, at: Date): Promise<void>
}

export type PaymentEvent =
  | { readonly kind: 'credited'; readonly topUpId: string }
  /** A payment that differs from its top-up, or belongs to none: an operator must look at it. */
  | { readonly kind: 'refused'; readonly topUpId: string; readonly paymentId: string; readonly why: string }

export interface StartedTopUp {
  readonly topUp: TopUp
  readonly url: string
}

export interface TopUps {
  /** `operator`: there is no payment provider. */
  readonly kind: 'hosted' | 'operator'
  /** @throws ServiceError `conflict` when only the operator credits wallets */
  start(asked: {
    readonly workspaceId: string
    readonly userId: string
    readonly amountCents: number
    readonly returnPath: string
  }): Promise<StartedTopUp>
  list(workspaceId: string): Promise<readonly TopUp[]>
  /** True when the message reports a payment of a top-up, also a repeated one. @throws ServiceError for a forged one */
  receive(message: SignedMessage): Promise<boolean>
}

export interface TopUpDeps {
  /** Null when only the operator credits wallets. */
  readonly provider: PaymentProvider | null
  readonly store: TopUpStore
  /** Credits a wallet once per reference. */
  readonly credit: (credit: Credit) => Promise<unknown>
  /** The origin of the dashboard, to which a payment page leads back. */
  readonly returnOrigin: string
  readonly onEvent: (event: PaymentEvent) => void
  readonly newId: () => string
  readonly now: () => Date
}

const nanoPerCent = 10_000_000n

export function createTopUps(deps: TopUpDeps): TopUps {
  const { provider, store, newId, now, returnOrigin } = deps
  return {
    kind: provider === null ? 'operator' : 'hosted',
    async start({ workspaceId, userId, amountCents, returnPath }) {
      if (provider === null) throw new ServiceError('conflict', 'Top-ups are made by the operator of this gateway.')
      const createdAt = now()
      const topUp = {
        id: newId(),
        workspaceId,
        amountNano: BigInt(amountCents) * nanoPerCent,
        createdBy: userId,
        createdAt,
      }
      await store.create({ ...topUp, provider: provider.name })
      const returnUrl = new URL(returnPath, returnOrigin).href
      const { checkoutId, url } = await provider.start({ topUpId: topUp.id, amountCents, returnUrl })
      await store.setCheckout(topUp.id, workspaceId, checkoutId)
      return { topUp: { ...topUp, status: 'pending', endedAt: null }, url }
    },
    list: (workspaceId) => store.list(workspaceId),
    async receive(message) {
      if (provider === null) throw new ServiceError('not_found', 'There is no such payment provider.')
      const payment = provider.read(message)
      if (payment === null) return false
      return settle(deps, provider.name, payment)
    },
  }
}

/**
 * Credits what was paid. Every step may be repeated, also at the same time: the payment is bound to one top-up, the credit
 * has the top-up as its reference, and the event is noted last, so that a step that failed is repeated with the event.
 */
async function settle(deps: TopUpDeps, provider: string, payment: Payment): Promise<boolean> {
  const { store, credit, onEvent, now } = deps
  if (await store.isKnownEvent(provider, payment.eventId)) return true
  const { topUpId, paymentId } = payment
  const topUp = await store.find(topUpId, provider)
  if (topUp === null) return false
  const { id, workspaceId, amountNano } = topUp
  const why = await problemOf(deps, topUp, payment)
  if (why === null) {
    await credit({ workspaceId, amountNano, reference: `${provider}:${id}`, reason: `payment ${paymentId}` })
    await store.end(id, workspaceId, 'credited', now())
    onEvent({ kind: 'credited', topUpId })
  } else {
    await store.end(id, workspaceId, 'refused', now())
    onEvent({ kind: 'refused', topUpId, paymentId, why })
  }
  await store.noteEvent(provider, payment.eventId, now())
  return true
}

/** Why the payment does not pay the top-up; null when it does. */
async function problemOf({ store }: TopUpDeps, topUp: PaidTopUp, payment: Payment): Promise<string | null> {
  if (topUp.status === 'refused') return 'the top-up was refused before'
  // The page may have been paid before its id was written.
  if (topUp.checkoutId !== null && topUp.checkoutId !== payment.checkoutId) return 'it comes from another page'
  if (payment.currency !== 'usd') return `it is in ${payment.currency}`
  if (BigInt(payment.amountCents) * nanoPerCent !== topUp.amountNano) return `it is of ${payment.amountCents} cents`
  const isOwn = await store.claimPayment(topUp.id, topUp.workspaceId, payment.paymentId)
  return isOwn ? null : 'the payment or the top-up belongs to another one'
}
