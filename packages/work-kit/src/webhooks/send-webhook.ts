import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { postWebhook, type WebhookAnswer } from '@ratchet/http/post-webhook'
import { Webhook } from 'standardwebhooks'

/** One webhook event for one receiver. */
export interface WebhookMessage {
  /** The same in every attempt, so that a receiver can ignore repetitions. */
  readonly id: string
  readonly url: string
  /** JSON text. */
  readonly body: string
  /** Returns `whsec_…`, and may throw when it cannot be decrypted; null for a message that is not signed. */
  readonly secret: (() => string) | null
}

export interface WebhookAttempt extends WebhookAnswer {
  readonly at: Date
  readonly durationMs: number
}

/** Sends a message once. Never rejects: a message that is not accepted is an ordinary outcome. */
export type SendWebhook = (message: WebhookMessage) => Promise<WebhookAttempt>

export interface WebhookSenderDeps {
  /** URLs that workspaces may use. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

export function createWebhookSender({ rules, now }: WebhookSenderDeps): SendWebhook {
  return async (message) => {
    const at = now()
    const startedMs = performance.now()
    const answer = await post(message, rules, at)
    return { ...answer, at, durationMs: Math.round(performance.now() - startedMs) }
  }
}

async function post(message: WebhookMessage, rules: BaseUrlRules, at: Date): Promise<WebhookAnswer> {
  const { url, body } = message
  let headers: Readonly<Record<string, string>>
  try {
    headers = messageHeaders(message, at)
  } catch {
    // A missing encryption key may be configured again, so this is a failed attempt like others.
    return { status: null, error: 'It could not be signed: the secret cannot be read.' }
  }
  return postWebhook({ url, rules, headers, body })
}

/**
 * The headers by which a receiver recognises a repetition, and checks that a signed message is authentic.
 *
 * @throws Error for a secret that cannot be read or is not valid
 * @see https://www.standardwebhooks.com
 */
export function messageHeaders(
  { id, body, secret }: Omit<WebhookMessage, 'url'>,
  at: Date,
): Readonly<Record<string, string>> {
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) }
  return secret === null ? headers : { ...headers, 'webhook-signature': new Webhook(secret()).sign(id, at, body) }
}
