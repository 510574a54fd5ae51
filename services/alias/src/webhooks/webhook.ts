import { publicId } from '@ratchet/contracts/public-id'
import type { Webhook, WebhookEventType } from '@ratchet/contracts/webhooks'
import type { WebhookEvent } from './webhook-event.ts'

/** An address that a workspace has told of events. */
export interface StoredWebhook {
  readonly id: string
  readonly workspaceId: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly description: string | null
  readonly enabled: boolean
  readonly createdBy: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The secret that signs what a webhook is sent, encrypted. */
export interface SealedSigningSecret {
  readonly keyId: string
  readonly nonce: Uint8Array<ArrayBuffer>
  readonly ciphertext: Uint8Array<ArrayBuffer>
}

export interface NewWebhook extends StoredWebhook {
  readonly secret: SealedSigningSecret
}

export interface WebhookKey {
  readonly workspaceId: string
  readonly id: string
}

/** What is changed; an absent field stays. */
export interface WebhookPatch {
  readonly url?: string | undefined
  readonly events?: readonly WebhookEventType[] | undefined
  readonly description?: string | null | undefined
  readonly enabled?: boolean | undefined
  readonly secret?: SealedSigningSecret | undefined
}

export interface WebhookStore {
  /** @returns false when the workspace has as many as it may */
  create(webhook: NewWebhook): Promise<boolean>
  get(key: WebhookKey): Promise<StoredWebhook | null>
  list(filter: WebhookFilter): Promise<{ readonly total: number; readonly webhooks: readonly StoredWebhook[] }>
  /** @returns null when there is none */
  update(key: WebhookKey, patch: WebhookPatch, at: Date): Promise<StoredWebhook | null>
  delete(key: WebhookKey): Promise<boolean>
  /** Has everybody told of an event who wants to hear of it. @returns false when it was known */
  report(event: WebhookEvent): Promise<boolean>
}

export interface WebhookFilter {
  readonly workspaceId: string
  readonly limit: number
  readonly offset: number
}

/** Webhooks of one workspace, at most. */
export const maxWebhooks = 20

/** A webhook as its workspace reads it. */
export function webhookReply(webhook: StoredWebhook): Webhook {
  return {
    object: 'webhook',
    id: publicId('webhook', webhook.id),
    url: webhook.url,
    events: [...webhook.events],
    description: webhook.description,
    enabled: webhook.enabled,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  }
}
