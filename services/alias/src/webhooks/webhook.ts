import { publicId } from '@ratchet/contracts/public-id'
import type { Webhook, WebhookEventType } from '@ratchet/contracts/webhooks'
import type { WebhookFormat } from './message-format.ts'

/** Maximum webhooks of a workspace. */
export const maxWebhooks = 20

/** A URL to which a workspace has events sent. */
export interface StoredWebhook {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly description: string | null
  readonly format: WebhookFormat
  readonly enabled: boolean
  /** UUID of a user. */
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The secret that signs messages, encrypted. */
export interface SealedSigningSecret {
  readonly keyId: string
  readonly nonce: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

export interface NewWebhook extends StoredWebhook {
  readonly secret: SealedSigningSecret
}

/** Fields to change; an absent field is not changed. */
export interface WebhookPatch {
  readonly url?: string | undefined
  readonly events?: readonly WebhookEventType[] | undefined
  readonly description?: string | null | undefined
  readonly format?: WebhookFormat | undefined
  readonly enabled?: boolean | undefined
  readonly secret?: SealedSigningSecret | undefined
}

export function webhookReply(webhook: StoredWebhook): Webhook {
  return {
    object: 'webhook',
    id: publicId('webhook', webhook.id),
    url: webhook.url,
    events: [...webhook.events],
    description: webhook.description,
    format: webhook.format,
    enabled: webhook.enabled,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}
