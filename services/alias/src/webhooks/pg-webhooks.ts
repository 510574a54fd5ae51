import type { Pool } from '@ratchet/db/connect-pool'
import { givenOf } from '@ratchet/db/given'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { AliasDatabase } from '../aliases/pg-alias-row.ts'
import { enqueueEvent, type WebhookEvent } from './pg-enqueue-event.ts'
import { maxWebhooks, type NewWebhook, type StoredWebhook, type WebhookPatch } from './webhook.ts'

export interface WebhookKey {
  readonly workspaceId: string
  readonly id: string
}

export interface WebhookFilter {
  readonly workspaceId: string
  readonly limit: number
  readonly offset: number
}

export type WebhookStore = ReturnType<typeof createPgWebhooks>

/** Webhooks in Postgres. Their secrets are written here, and read only in order to deliver. */
export function createPgWebhooks({ pool, clients }: AliasDatabase) {
  return {
    /** False when the workspace has the maximum number of webhooks. */
    create: (webhook: NewWebhook): Promise<boolean> => create(pool, webhook),
    async get({ workspaceId, id }: WebhookKey): Promise<StoredWebhook | null> {
      const found = await clients(workspaceId).webhook.findUnique({ where: { id }, omit: secretColumns })
      return found && storedOf(found)
    },
    async list({ workspaceId, limit, offset }: WebhookFilter) {
      const { webhook } = clients(workspaceId)
      const page = { take: limit, skip: offset, omit: secretColumns }
      const [total, found] = await Promise.all([
        webhook.count(),
        webhook.findMany({ ...page, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] }),
      ])
      return { total, webhooks: found.map((each): StoredWebhook => storedOf(each)) }
    },
    /** Null when it does not exist. */
    async update({ workspaceId, id }: WebhookKey, patch: WebhookPatch, at: Date): Promise<StoredWebhook | null> {
      const { secret, events, ...others } = patch
      const { webhook } = clients(workspaceId)
      const data = { ...givenOf(others), ...(events && { events: [...events] }), ...secret, updatedAt: at }
      const [changed] = await webhook.updateManyAndReturn({ where: { id }, data, omit: secretColumns })
      return changed === undefined ? null : storedOf(changed)
    },
    /** False when it does not exist. */
    async delete({ workspaceId, id }: WebhookKey): Promise<boolean> {
      return (await clients(workspaceId).webhook.deleteMany({ where: { id } })).count === 1
    },
    /** Enqueues an event. False when an event with this id exists. */
    enqueue: (event: WebhookEvent) => inTransaction(pool, (client) => enqueueEvent(client, event)),
  }
}

const secretColumns = { ciphertext: true, nonce: true, keyId: true } as const

/** The database accepts any text as an event type; the contract admits only known types. */
function storedOf<W extends { readonly events: readonly string[]; readonly format: string }>(
  webhook: W,
): Omit<W, 'format'> & Pick<StoredWebhook, 'events' | 'format'> {
  return webhook as W & Pick<StoredWebhook, 'events' | 'format'>
}

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x7768_6f6f

const createStatement = `
  INSERT INTO webhook (id, workspace_id, url, events, description, enabled, ciphertext, nonce, key_id, created_by,
    created_at, updated_at, format)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
  WHERE (SELECT count(*) FROM webhook WHERE workspace_id = $2) < $14`

/** Webhooks of a workspace are created one after the other, so that concurrent requests cannot exceed the maximum. */
function create(pool: Pool, webhook: NewWebhook): Promise<boolean> {
  const { id, workspaceId, url, events, description, enabled, secret, createdBy, createdAt, updatedAt, format } =
    webhook
  const sealed = [Buffer.from(secret.ciphertext), Buffer.from(secret.nonce), secret.keyId]
  const values = [
    id,
    workspaceId,
    url,
    events,
    description,
    enabled,
    ...sealed,
    createdBy,
    createdAt,
    updatedAt,
    format,
  ]
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, lockSeed])
    return (await client.query(createStatement, [...values, maxWebhooks])).rowCount === 1
  })
}
