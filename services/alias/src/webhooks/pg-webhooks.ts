import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { enqueueEvent } from './pg-enqueue-event.ts'
import { maxWebhooks, type NewWebhook, type WebhookFilter, type WebhookPatch, type WebhookStore } from './webhook.ts'
import { type WebhookRow, webhookColumns, webhookOf } from './webhook-row.ts'

/** Webhooks in Postgres. Their secrets are written here and read where messages are sent alone. */
export function createPgWebhooks(pool: Pool): WebhookStore {
  return {
    create: (webhook) => create(pool, webhook),
    async get({ workspaceId, id }) {
      const text = `SELECT ${webhookColumns} FROM webhook WHERE workspace_id = $1 AND id = $2`
      const { rows } = await pool.query<WebhookRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : webhookOf(rows[0])
    },
    list: (filter) => list(pool, filter),
    async update({ workspaceId, id }, patch, at) {
      const changes = [...changesOf(patch), ['updated_at', at] as const]
      const sets = changes.map(([column], index) => `${column} = $${index + 3}`)
      const text = `UPDATE webhook SET ${sets.join(', ')} WHERE workspace_id = $1 AND id = $2 RETURNING ${webhookColumns}`
      const values = [workspaceId, id, ...changes.map(([, value]) => value)]
      const { rows } = await pool.query<WebhookRow>(text, values)
      return rows[0] === undefined ? null : webhookOf(rows[0])
    },
    async delete({ workspaceId, id }) {
      const text = 'DELETE FROM webhook WHERE workspace_id = $1 AND id = $2'
      return (await pool.query(text, [workspaceId, id])).rowCount === 1
    },
    report: (event) => inTransaction(pool, (client) => enqueueEvent(client, event)),
  }
}

/** Keeps these locks apart from everyone else's. */
const lockSeed = 0x7768_6f6f

const createStatement = `
  INSERT INTO webhook (id, workspace_id, url, events, description, enabled, ciphertext, nonce, key_id, created_by,
    created_at, updated_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12
  WHERE (SELECT count(*) FROM webhook WHERE workspace_id = $2) < $13`

/** One after the other for a workspace, so that two at once cannot both be the last one. */
function create(pool: Pool, webhook: NewWebhook): Promise<boolean> {
  const { id, workspaceId, url, events, description, enabled, secret, createdBy, createdAt, updatedAt } = webhook
  const sealed = [Buffer.from(secret.ciphertext), Buffer.from(secret.nonce), secret.keyId]
  const values = [id, workspaceId, url, events, description, enabled, ...sealed, createdBy, createdAt, updatedAt]
  return inTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [workspaceId, lockSeed])
    return (await client.query(createStatement, [...values, maxWebhooks])).rowCount === 1
  })
}

async function list(pool: Pool, { workspaceId, limit, offset }: WebhookFilter) {
  const count = 'SELECT count(*)::int AS total FROM webhook WHERE workspace_id = $1'
  const counted = await pool.query<{ total: number }>(count, [workspaceId])
  const page = `SELECT ${webhookColumns} FROM webhook WHERE workspace_id = $1
    ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`
  const { rows } = await pool.query<WebhookRow>(page, [workspaceId, limit, offset])
  return { total: counted.rows[0]?.total ?? 0, webhooks: rows.map(webhookOf) }
}

function changesOf({
  url,
  events,
  description,
  enabled,
  secret,
}: WebhookPatch): readonly (readonly [string, unknown])[] {
  const given: readonly (readonly [string, unknown])[] = [
    ['url', url],
    ['events', events],
    ['description', description],
    ['enabled', enabled],
    ['ciphertext', secret && Buffer.from(secret.ciphertext)],
    ['nonce', secret && Buffer.from(secret.nonce)],
    ['key_id', secret?.keyId],
  ]
  return given.filter(([, value]) => value !== undefined)
}
