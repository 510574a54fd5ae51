import { maxTotal } from '@ratchet/contracts/log-filters'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Attempt, DeliveryFilter, DeliveryStatus, DeliveryStore, StoredDelivery } from './delivery.ts'
import { deliveryHours } from './delivery-schedule.ts'

interface DeliveryRow {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly type: StoredDelivery['type']
  readonly body: string
  readonly status: DeliveryStatus
  readonly attempts: string
  readonly due_at: Date | null
  readonly created_at: Date
}

/** The log of what webhooks were told, in Postgres. */
export function createPgDeliveries(pool: Pool): DeliveryStore {
  return {
    list: (filter) => list(pool, filter),
    replay: ({ webhookId, id }) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<DeliveryRow>(replayStatement, [webhookId, id, deliveryHours])
        if (rows[0] !== undefined) return deliveryOf(rows[0])
        const text = 'SELECT 1 FROM webhook_delivery WHERE webhook_id = $1 AND id = $2'
        return (await client.query(text, [webhookId, id])).rowCount === 0 ? null : 'pending'
      }),
  }
}

const columns = 'd.id, d.webhook_id, d.event_id, e.type, e.body, d.status, d.attempts, d.due_at, d.created_at'

const replayStatement = `
  UPDATE webhook_delivery d SET status = 'pending', due_at = now(), deadline = now() + $3 * interval '1 hour', tries = 0
  FROM webhook_event e
  WHERE d.webhook_id = $1 AND d.id = $2 AND d.status <> 'pending' AND e.id = d.event_id
  RETURNING ${columns}`

async function list(pool: Pool, { webhookId, status, type, limit, offset }: DeliveryFilter) {
  const from = `FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
    WHERE d.webhook_id = $1 AND ($2::delivery_status IS NULL OR d.status = $2) AND ($3::text IS NULL OR e.type = $3)`
  const values = [webhookId, status ?? null, type ?? null]
  const counted = await pool.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM (SELECT 1 ${from} LIMIT ${maxTotal}) counted`,
    values,
  )
  const page = `SELECT ${columns} ${from} ORDER BY d.created_at DESC, d.id DESC LIMIT $4 OFFSET $5`
  const { rows } = await pool.query<DeliveryRow>(page, [...values, limit, offset])
  return { total: counted.rows[0]?.total ?? 0, deliveries: rows.map(deliveryOf) }
}

function deliveryOf(row: DeliveryRow): StoredDelivery {
  const attempts = readJson(row.attempts)
  const payload = readJson(row.body)
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    payload: typeof payload === 'object' && payload !== null ? (payload as StoredDelivery['payload']) : {},
    status: row.status,
    attempts: Array.isArray(attempts) ? (attempts as Attempt[]) : [],
    dueAt: row.due_at,
    createdAt: row.created_at,
  }
}

/** One row that cannot be read does not hide the others. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
