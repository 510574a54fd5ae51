import type { SendWebhook } from './send-webhook.ts'
import type { WebhookStore } from './webhook.ts'

export interface DeliverWebhooksDeps {
  readonly webhooks: WebhookStore
  readonly send: SendWebhook
  readonly now: () => Date
}

/** Messages under way at the same time. */
const maxAtOnce = 20

/** Sends what is due. A message is sent at least once, and again until it is taken or its day is over. */
export async function deliverWebhooks({ webhooks, send, now }: DeliverWebhooksDeps): Promise<void> {
  const due = await webhooks.take(maxAtOnce)
  await Promise.all(
    due.map(async (webhook) => {
      const error = await send(webhook)
      await webhooks.keep(webhook.runId, { deliveredAt: error === null ? now() : null, error })
    }),
  )
}
