import { publicId } from '@ratchet/contracts/public-id'
import type { WebhookDelivery, WebhookMessageType } from '@ratchet/contracts/webhooks'
import type { WebhookFormat } from './message-format.ts'
import type { SealedSigningSecret, StoredWebhook } from './webhook.ts'

export type DeliveryStatus = WebhookDelivery['status']

/** One attempt at a delivery, as it is stored and shown. */
export type Attempt = WebhookDelivery['attempts'][number]

/** One webhook event for one webhook, with its attempts. */
export interface StoredDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: WebhookMessageType
  /** The JSON that is sent. */
  readonly payload: Readonly<Record<string, unknown>>
  readonly status: DeliveryStatus
  /** The last ones, the oldest first. */
  readonly attempts: readonly Attempt[]
  /** Null once no attempt follows. */
  readonly dueAt: Date | null
  readonly createdAt: Date
}

/** A delivery that this process has claimed. */
export interface DueDelivery {
  readonly id: string
  readonly eventId: string
  readonly body: string
  readonly webhookId: string
  readonly workspaceId: string
  readonly url: string
  readonly format: WebhookFormat
  readonly secret: SealedSigningSecret
  /** Attempts since it was first sent or replayed, this one included. */
  readonly tries: number
  /** End of the claim. It also identifies the claim: a later one ends later. */
  readonly claimedUntil: Date
}

export interface AttemptResult {
  readonly attempt: Attempt
  /** `gone`: the receiver wants no more messages. */
  readonly result: 'delivered' | 'gone' | 'failed'
  /** Delay before the next attempt if this one failed, milliseconds. */
  readonly retryDelayMs: number
}

/** The state of a delivery after an attempt. `lost`: another process claimed it meanwhile, or it was deleted. */
export type DeliveryOutcome = 'delivered' | 'gone' | 'retried' | 'dead_lettered' | 'lost'

/** @param status of the answer; null without an answer */
export function resultOf(status: number | null): AttemptResult['result'] {
  if (status === null) return 'failed'
  if (status >= 200 && status < 300) return 'delivered'
  return status === 410 ? 'gone' : 'failed'
}

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
    // A delivery to a disabled webhook waits until the webhook is enabled, so it has no time.
    next_attempt_at: status === 'pending' && enabled ? (dueAt?.toISOString() ?? null) : null,
    payload: { ...delivery.payload },
    created_at: delivery.createdAt.toISOString(),
  }
}
