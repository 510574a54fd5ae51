import { publicId } from '@ratchet/contracts/public-id'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { postWebhook } from '@ratchet/http/post-webhook'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import type { DueWebhook, WebhookStore } from './pg-webhooks.ts'

export interface DeliverWebhooksDeps {
  readonly webhooks: WebhookStore
  readonly send: SendWebhook
  readonly now: () => Date
}

/** Sends one webhook. Resolves with an error text, or null when the receiver accepted it. */
export type SendWebhook = (webhook: DueWebhook) => Promise<string | null>

/** Webhooks sent at the same time. */
const maxConcurrent = 20

/** Sends the webhooks that are due. Each is sent at least once, and retried until it is accepted or a day has passed. */
export async function deliverWebhooks({ webhooks, send, now }: DeliverWebhooksDeps): Promise<void> {
  const due = await webhooks.takeDue(maxConcurrent)
  await Promise.all(
    due.map(async (webhook) => {
      const error = await send(webhook)
      await webhooks.saveOutcome(webhook.runId, { deliveredAt: error === null ? now() : null, error })
    }),
  )
}

export interface WebhookSenderDeps {
  /** Addresses that workspaces may use. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

export function createWebhookSender({ rules, now }: WebhookSenderDeps): SendWebhook {
  return async (webhook) => {
    const headers = {
      'webhook-id': deterministicId('eval-webhook', webhook.runId),
      'webhook-timestamp': String(Math.floor(now().getTime() / 1_000)),
    }
    const { error } = await postWebhook({ url: webhook.url, rules, headers, body: bodyOf(webhook) })
    return error
  }
}

/** The body only names the eval and its status, so a forged one reveals nothing. A receiver reads the eval with its own key. */
function bodyOf({ runId, name, status, finishedAt }: DueWebhook): string {
  return JSON.stringify({
    type: `eval.${status.toLowerCase()}`,
    timestamp: finishedAt.toISOString(),
    data: { object: 'eval', id: publicId('eval', runId), name, status },
  })
}
