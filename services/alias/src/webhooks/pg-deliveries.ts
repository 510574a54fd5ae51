import { maxTotal } from '@ratchet/contracts/log-filters'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { asList, asObject, parseJson } from '@ratchet/service-kit/values/json'
import { retryHours } from '@ratchet/work-kit/webhooks/retry-schedule'
import type { Attempt, DeliveryStatus, StoredDelivery } from './delivery.ts'

export interface DeliveryFilter {
  readonly webhookId: string
  readonly status?: DeliveryStatus | undefined
  readonly type?: WebhookEventType | undefined
  readonly limit: number
  readonly offset: number
}

export type DeliveryStore = ReturnType<typeof createPgDeliveries>

interface DeliveryRow
  extends Pick<
      Row<'webhookDelivery'>,
      'id' | 'webhook_id' | 'event_id' | 'status' | 'attempts' | 'due_at' | 'created_at'
    >,
    Pick<Row<'webhookEvent', { type: WebhookEventType }>, 'type' | 'body'> {}

/** The deliveries of webhooks as workspaces read and replay them. */
export function createPgDeliveries(pool: Pool) {
  return {
    list: (filter: DeliveryFilter) => list(pool, filter),
    /** Starts a delivery again. Null when it does not exist, `pending` when its attempts have not ended. */
    replay: ({ webhookId, id }: { readonly webhookId: string; readonly id: string }) =>
      inTransaction(pool, async (client): Promise<StoredDelivery | 'pending' | null> => {
        const { rows } = await client.query<DeliveryRow>(replayStatement, [webhookId, id, retryHours])
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

/** Text that is not valid JSON is read as empty, so that one such row does not hide the others. */
function deliveryOf(row: DeliveryRow): StoredDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    payload: asObject(parseJson(row.body)) ?? {},
    status: row.status,
    attempts: asList(parseJson(row.attempts)) as readonly Attempt[],
    dueAt: row.due_at,
    createdAt: row.created_at,
  }
}
