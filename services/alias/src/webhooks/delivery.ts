import { publicId } from '@ratchet/contracts/public-id'
import type { WebhookDelivery, WebhookEventType } from '@ratchet/contracts/webhooks'
import type { SealedSigningSecret, StoredWebhook } from './webhook.ts'

export type DeliveryStatus = WebhookDelivery['status']

/** One attempt at sending a message, as it is kept and shown. */
export type Attempt = WebhookDelivery['attempts'][number]

/** What one webhook is told of one event. */
export interface StoredDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: WebhookEventType
  /** What is sent: JSON. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: DeliveryStatus
  /** The last ones, the oldest first. */
  readonly attempts: readonly Attempt[]
  /** Null once it is over. */
  readonly dueAt: Date | null
  readonly createdAt: Date
}

export interface DeliveryFilter {
  readonly webhookId: string
  readonly status?: DeliveryStatus | undefined
  readonly type?: WebhookEventType | undefined
  readonly limit: number
  readonly offset: number
}

export interface DeliveryKey {
  readonly webhookId: string
  readonly id: string
}

export interface DeliveryStore {
  list(filter: DeliveryFilter): Promise<{ readonly total: number; readonly deliveries: readonly StoredDelivery[] }>
  /** Sends one again from the start; null when there is none, `pending` when it is still being sent. */
  replay(key: DeliveryKey): Promise<StoredDelivery | 'pending' | null>
}

/** A message that somebody is to be sent now. */
export interface DueDelivery {
  readonly id: string
  readonly eventId: string
  readonly body: string
  readonly webhookId: string
  readonly workspaceId: string
  readonly url: string
  readonly secret: SealedSigningSecret
  /** Until when whoever took it on has it; names the claim. */
  readonly claimedUntil: Date
}

/** What an attempt means: `gone` says that its receiver wants to hear nothing more. */
export type Verdict = 'delivered' | 'gone' | 'failed'

/** What became of a delivery; `lost` when somebody else took it on meanwhile, or it is there no more. */
export type DeliveryOutcome = 'delivered' | 'gone' | 'retried' | 'given_up' | 'lost'

/** Who is being sent to, so that one receiver or workspace does not take all the room. */
export type UnderWay = Pick<DueDelivery, 'webhookId' | 'workspaceId'>

export interface DueDeliveries {
  /** Takes on what is due, at most so many. What is not heard of again is due once more when its claim is over. */
  take(limit: number, underWay: readonly UnderWay[]): Promise<readonly DueDelivery[]>
  keep(
    delivery: DueDelivery,
    outcome: { readonly attempt: Attempt; readonly verdict: Verdict },
  ): Promise<DeliveryOutcome>
  /** Gives up what waits for a webhook that is not enabled and whose day is over. */
  expire(): Promise<void>
  /** Deletes events, with their deliveries, that are older than they are kept; at most so many at once. */
  forget(limit: number): Promise<number>
}

/** What an answer to a message says; null is none. */
export function verdictOn(status: number | null): Verdict {
  if (status === null) return 'failed'
  if (status >= 200 && status < 300) return 'delivered'
  return status === 410 ? 'gone' : 'failed'
}

/** A delivery as the workspace reads it. */
export function deliveryReply(delivery: StoredDelivery, { enabled }: Pick<StoredWebhook, 'enabled'>): WebhookDelivery {
  const { dueAt, status } = delivery
  return {
    object: 'webhook.delivery',
    id: publicId('delivery', delivery.id),
    webhook_id: publicId('webhook', delivery.webhookId),
    event_id: publicId('webhookEvent', delivery.eventId),
    type: delivery.type,
    status,
    attempts: [...delivery.attempts],
    // What waits for a webhook that is not enabled waits without a time.
    next_attempt_at: status === 'pending' && enabled ? (dueAt?.toISOString() ?? null) : null,
    payload: { ...delivery.payload },
    created_at: delivery.createdAt.toISOString(),
  }
}
