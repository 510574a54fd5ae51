import { publicId } from '@ratchet/contracts/public-id'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { postWebhook } from '@ratchet/http/post-webhook'
import type { SecretBox } from '@ratchet/service-kit/secret-box'
import type { Attempt, DueDelivery } from './delivery.ts'
import { signatureHeaders } from './sign-message.ts'

export interface SendDeliveryDeps {
  /** Opens the secrets that sign. */
  readonly secrets: Pick<SecretBox, 'open'>
  /** Which addresses workspaces may name. */
  readonly rules: BaseUrlRules
  readonly now: () => Date
}

/** Sends a message once and says how that went. Never rejects. */
export type SendDelivery = (delivery: DueDelivery) => Promise<Attempt>

export function createSendDelivery(deps: SendDeliveryDeps): SendDelivery {
  const { rules, now } = deps
  return async (delivery) => {
    const at = now()
    const startedMs = performance.now()
    const attempt = ({ status, error }: Pick<Attempt, 'status' | 'error'>): Attempt => {
      return { at: at.toISOString(), status, error, duration_ms: Math.round(performance.now() - startedMs) }
    }
    const headers = sign(deps, delivery, at)
    // A key that is missing may be configured again, so this too is tried again.
    if (headers === null) return attempt({ status: null, error: 'It could not be signed: the secret cannot be read.' })
    const { url, body } = delivery
    return attempt(await postWebhook({ url, rules, headers, body }))
  }
}

function sign({ secrets }: SendDeliveryDeps, { webhookId, workspaceId, eventId, secret, body }: DueDelivery, at: Date) {
  try {
    const opened = secrets.open(secret, webhookSecretPlace({ workspaceId, id: webhookId }))
    return signatureHeaders({ id: publicId('webhookEvent', eventId), body, at, secret: opened })
  } catch {
    return null
  }
}
