import { publicId } from '@ratchet/contracts/public-id'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { webhookRetryDelayMs } from '@ratchet/work-kit/webhooks/retry-schedule'
import type { SendWebhook } from '@ratchet/work-kit/webhooks/send-webhook'
import { type AttemptResult, type DeliveryOutcome, type DueDelivery, resultOf } from './delivery.ts'
import { formattedBody } from './message-format.ts'
import type { DueDeliveryStore } from './pg-due-deliveries.ts'

/** The outcome of one attempt. `not_recorded`: it could not be saved, and the message is sent once more. */
export interface DeliveryEvent {
  readonly kind: DeliveryOutcome | 'not_recorded'
  readonly deliveryId: string
  readonly webhookId: string
  /** Why the receiver did not accept the message. */
  readonly error: string | null
  /** Why the outcome was not saved. */
  readonly cause?: unknown
}

export interface DeliverWebhookDeps {
  readonly due: Pick<DueDeliveryStore, 'save'>
  readonly secrets: Pick<SecretBox, 'open'>
  readonly send: SendWebhook
  readonly onEvent: (event: DeliveryEvent) => void
}

/** Attempts one delivery and saves the outcome. Never rejects. */
export async function deliverWebhook(deps: DeliverWebhookDeps, delivery: DueDelivery): Promise<void> {
  const { due, secrets, send, onEvent } = deps
  const { id: deliveryId, webhookId, workspaceId, eventId, url, body } = delivery
  const { status, error, at, durationMs } = await send({
    id: publicId('webhookEvent', eventId),
    url,
    body: formattedBody(delivery.format, body),
    secret: () => secrets.open(delivery.secret, webhookSecretPlace({ workspaceId, id: webhookId })),
  })
  const result: AttemptResult = {
    attempt: { at: at.toISOString(), status, error, duration_ms: durationMs },
    result: resultOf(status),
    retryDelayMs: webhookRetryDelayMs(delivery.tries),
  }
  try {
    onEvent({ kind: await due.save(delivery, result), deliveryId, webhookId, error })
  } catch (cause) {
    onEvent({ kind: 'not_recorded', deliveryId, webhookId, error, cause })
  }
}
