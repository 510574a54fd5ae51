import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { SealedSigningSecret, StoredWebhook } from './webhook.ts'

export interface WebhookRow {
  readonly id: string
  readonly workspace_id: string
  readonly url: string
  readonly events: readonly WebhookEventType[]
  readonly description: string | null
  readonly enabled: boolean
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
}

export const webhookColumns = 'id, workspace_id, url, events, description, enabled, created_by, created_at, updated_at'

export function webhookOf(row: WebhookRow): StoredWebhook {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    url: row.url,
    events: row.events,
    description: row.description,
    enabled: row.enabled,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export interface SealedRow {
  readonly ciphertext: Buffer
  readonly nonce: Buffer
  readonly key_id: string
}

export function sealedOf({ ciphertext, nonce, key_id }: SealedRow): SealedSigningSecret {
  return { keyId: key_id, nonce: new Uint8Array(nonce), ciphertext: new Uint8Array(ciphertext) }
}
