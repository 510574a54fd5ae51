import { publicId } from '@ratchet/contracts/public-id'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { webhookRetryDelayMs } from '@ratchet/work-kit/webhooks/retry-schedule'
import type { SendWebhook } from '@ratchet/work-kit/webhooks/send-webhook'
import type { DueWebhook, WebhookStore } from './pg-webhooks.ts'

export interface DeliverWebhookDeps {
  readonly webhooks: Pick<WebhookStore, 'saveOutcome'>
  readonly send: SendWebhook
}

/** Sends the webhook of an eval once and saves the outcome. The message is not signed, because `webhook_url` has no secret. */
export async function deliverWebhook({ webhooks, send }: DeliverWebhookDeps, webhook: DueWebhook): Promise<void> {
  const id = deterministicId('eval-webhook', webhook.runId)
  const { at, error } = await send({ id, url: webhook.url, body: bodyOf(webhook), secret: null })
  await webhooks.saveOutcome(webhook, {
    deliveredAt: error === null ? at : null,
    error,
    retryDelayMs: webhookRetryDelayMs(webhook.attempts),
  })
}

/** The body only names the eval and its status, so a forged one reveals nothing. A receiver reads the eval with its own key. */
function bodyOf({ runId, name, status, finishedAt }: DueWebhook): string {
  return JSON.stringify({
    type: `eval.${status.toLowerCase()}`,
    timestamp: finishedAt.toISOString(),
    data: { object: 'eval', id: publicId('eval', runId), name, status },
  })
}
