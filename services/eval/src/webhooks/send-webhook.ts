import { type BaseUrlRules, checkBaseUrl } from '@ratchet/http/check-base-url'
import { collectAnswer } from '@ratchet/http/collect-answer'
import { createGuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import { deterministicId } from '@ratchet/service-kit/deterministic-id'
import { type DueWebhook, splitQuery, webhookBody } from '../domain/webhook.ts'

export interface SendWebhookDeps {
  /** Which addresses workspaces may name. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

/** Says why a message was not taken, or null when it was. */
export type SendWebhook = (webhook: DueWebhook) => Promise<string | null>

const clocks = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 }
const connectTimeoutMs = 5_000
const mostAnswerBytes = 65_536

/** Sends messages through the guard: to public addresses, and to hosts that the operator vouches for. */
export function createSendWebhook({ rules, now }: SendWebhookDeps): SendWebhook {
  return async (webhook) => {
    const { base, query } = splitQuery(webhook.url)
    // What was allowed when the eval was created may be no more.
    const checked = checkBaseUrl(base, rules)
    if (checked.kind === 'refused') return `The URL is refused: ${checked.reason}.`
    const { upstream, basePath } = createGuardedUpstream({ baseUrl: base, rules, connections: 1, connectTimeoutMs })
    try {
      const { status } = await collectAnswer(
        upstream,
        {
          method: 'POST',
          path: `${basePath === '' ? '/' : basePath}${query}`,
          headers: {
            'content-type': 'application/json',
            'webhook-id': deterministicId('eval-webhook', webhook.runId),
            'webhook-timestamp': String(Math.floor(now().getTime() / 1_000)),
          },
          body: Buffer.from(webhookBody(webhook)),
          clocks,
        },
        { maxBytes: mostAnswerBytes },
      )
      return status >= 200 && status < 300 ? null : `It was answered with ${status}.`
    } catch (error) {
      return error instanceof Error ? `It could not be sent: ${error.message}.` : 'It could not be sent.'
    } finally {
      await upstream.destroy()
    }
  }
}
