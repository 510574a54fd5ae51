import { maxTotal } from '@ratchet/contracts/log-filters'
import type { WebhookMessageType } from '@ratchet/contracts/webhooks'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { asList, asObject, parseJson } from '@ratchet/service-kit/values/json'
import { retryHours } from '@ratchet/work-kit/webhooks/retry-schedule'
import type { Attempt, DeliveryStatus, StoredDelivery } from './delivery.ts'
import { messageOf } from './pg-enqueue-event.ts'
import type { WebhookKey } from './pg-webhooks.ts'

export interface DeliveryFilter {
  readonly webhookId: string
  readonly status?: DeliveryStatus | undefined
  readonly type?: WebhookMessageType | undefined
  readonly limit: number
  readonly offset: number
}

export type DeliveryStore = ReturnType<typeof createPgDeliveries>

interface DeliveryKey {
  readonly webhookId: string
  readonly id: string
}

export interface TestMessage {
  readonly webhook: WebhookKey
  readonly eventId: string
  readonly deliveryId: string
  readonly timestamp: Date
  readonly data: Readonly<Record<string, unknown>>
}

interface DeliveryRow
  extends Pick<
      Row<'webhookDelivery'>,
      'id' | 'webhook_id' | 'event_id' | 'status' | 'attempts' | 'due_at' | 'created_at'
    >,
    Pick<Row<'webhookEvent', { type: WebhookMessageType }>, 'type' | 'body'> {}

/** The deliveries of webhooks as workspaces read and replay them. */
export function createPgDeliveries(pool: Pool) {
  return {
    list: (filter: DeliveryFilter) => list(pool, filter),
    /** Null when it does not exist. */
    async get(webhook: WebhookKey, id: string): Promise<StoredDelivery | null> {
      const text = `SELECT ${columns} FROM webhook_delivery d JOIN webhook_event e ON e.id = d.event_id
        WHERE e.workspace_id = $1 AND d.webhook_id = $2 AND d.id = $3`
      const { rows } = await pool.query<DeliveryRow>(text, [webhook.workspaceId, webhook.id, id])
      return rows[0] === undefined ? null : deliveryOf(rows[0])
    },
    /** Sends a message to one webhook, whatever events it asks for. False when it was deleted meanwhile. */
    async test({ webhook: { id, workspaceId }, ...test }: TestMessage): Promise<boolean> {
      const body = JSON.stringify(messageOf({ ...test, type: testType }))
      const values = [test.eventId, workspaceId, testType, body, test.deliveryId, id, retryHours]
      return (await pool.query(testStatement, values)).rowCount === 1
    },
    /** Starts a delivery again. Null when it does not exist, `pending` when its attempts have not ended. */
    replay: ({ webhookId, id }: DeliveryKey) =>
      inTransaction(pool, async (client): Promise<StoredDelivery | 'pending' | null> => {
        const { rows } = await client.query<DeliveryRow>(replayStatement, [webhookId, id, retryHours])
        if (rows[0] !== undefined) return deliveryOf(rows[0])
        const text = 'SELECT 1 FROM webhook_delivery WHERE webhook_id = $1 AND id = $2'
        return (await client.query(text, [webhookId, id])).rowCount === 0 ? null : 'pending'
      }),
  }
}

const columns = 'd.id, d.webhook_id, d.event_id, e.type, e.body, d.status, d.attempts, d.due_at, d.created_at'

const testType = 'webhook.test'

const testStatement = `
  WITH listener AS (
    SELECT id FROM webhook WHERE id = $6 AND workspace_id = $2 FOR KEY SHARE
  ), event AS (
    INSERT INTO webhook_event (id, workspace_id, type, body, created_at)
    SELECT $1, $2, $3, $4, now() FROM listener RETURNING id
  )
  INSERT INTO webhook_delivery (id, webhook_id, event_id, deadline, created_at)
  SELECT $5, listener.id, event.id, now() + $7 * interval '1 hour', now() FROM event, listener`

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
