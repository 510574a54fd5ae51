import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { postWebhook } from '@ratchet/http/post-webhook'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { type DueWebhook, webhookBody } from './webhook.ts'

export interface SendWebhookDeps {
  /** Which addresses workspaces may name. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

/** Says why a message was not taken, or null when it was. */
export type SendWebhook = (webhook: DueWebhook) => Promise<string | null>

export function createSendWebhook({ rules, now }: SendWebhookDeps): SendWebhook {
  return async (webhook) => {
    const headers = {
      'webhook-id': deterministicId('eval-webhook', webhook.runId),
      'webhook-timestamp': String(Math.floor(now().getTime() / 1_000)),
    }
    const { error } = await postWebhook({ url: webhook.url, rules, headers, body: webhookBody(webhook) })
    return error
  }
}
