import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { DeliveryOutcome, DueDeliveries, DueDelivery } from './delivery.ts'
import { deliveryDelays, keptDays, maxAttempts } from './delivery-schedule.ts'
import { type SealedRow, sealedOf } from './webhook-row.ts'

/** How long a message is somebody's who took it on, seconds: longer than any message is under way. */
const claimSeconds = 60
/** Messages under way at the same time, to one workspace and to one of its webhooks. */
const maxOfWorkspace = 4
const maxOfWebhook = 2

type Outcome = Parameters<DueDeliveries['keep']>[1]

interface DueRow extends SealedRow {
  readonly id: string
  readonly event_id: string
  readonly body: string
  readonly webhook_id: string
  readonly workspace_id: string
  readonly url: string
  readonly due_at: Date
}

/** Messages that are due, in Postgres. Claims run on the database's clock, so that processes need not agree on theirs. */
export function createPgDueDeliveries(pool: Pool): DueDeliveries {
  return {
    async take(limit, underWay) {
      const busy = [underWay.map(({ webhookId }) => webhookId), underWay.map(({ workspaceId }) => workspaceId)]
      const values = [limit, ...busy, maxOfWebhook, maxOfWorkspace, claimSeconds]
      return (await pool.query<DueRow>(takeStatement, values)).rows.map(dueOf)
    },
    keep: (delivery, outcome) =>
      outcome.verdict === 'gone' ? keepGone(pool, delivery, outcome) : keep(pool, delivery, outcome),
    async expire() {
      await pool.query(expireStatement)
    },
    async forget(limit) {
      return (await pool.query(forgetStatement, [keptDays, limit])).rowCount ?? 0
    },
  }
}

function dueOf(row: DueRow): DueDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    body: row.body,
    webhookId: row.webhook_id,
    workspaceId: row.workspace_id,
    url: row.url,
    secret: sealedOf(row),
    claimedUntil: row.due_at,
  }
}

/** The longest overdue first, but no more of one webhook and of one workspace than there is room for. */
const takeStatement = `
  WITH busy AS (
    SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS under_way(webhook_id, workspace_id)
  ), of_webhook AS (
    SELECT d.id, d.due_at, w.workspace_id,
      row_number() OVER (PARTITION BY w.id ORDER BY d.due_at, d.id)
        + (SELECT count(*) FROM busy b WHERE b.webhook_id = w.id) AS place
    FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id
    WHERE d.status = 'pending' AND d.due_at <= now() AND w.enabled
  ), of_workspace AS (
    SELECT o.id,
      row_number() OVER (PARTITION BY o.workspace_id ORDER BY o.due_at, o.id)
        + (SELECT count(*) FROM busy b WHERE b.workspace_id = o.workspace_id) AS place
    FROM of_webhook o WHERE o.place <= $4
  ), due AS (
    SELECT d.id FROM webhook_delivery d
    WHERE d.id IN (SELECT id FROM of_workspace WHERE place <= $5) AND d.status = 'pending' AND d.due_at <= now()
    ORDER BY d.due_at, d.id LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_delivery d SET tries = d.tries + 1, due_at = now() + $6 * interval '1 second'
  FROM due, webhook w, webhook_event e
  WHERE d.id = due.id AND w.id = d.webhook_id AND e.id = d.event_id
  RETURNING d.id, d.event_id, d.due_at, e.body, w.id AS webhook_id, w.workspace_id, w.url, w.ciphertext, w.nonce, w.key_id`

/** Every attempt is kept; what it means, only by whoever still has the delivery. */
const keepStatement = `
  WITH held AS (
    SELECT id, deadline, status = 'pending' AND due_at = $2 AS is_mine,
      now() + least($6 * power(2, tries - 1), $7) * interval '1 second' AS next_at
    FROM webhook_delivery WHERE id = $1 FOR UPDATE
  ), decided AS (
    SELECT id, next_at, CASE
      WHEN is_mine IS NOT TRUE THEN 'lost'
      WHEN $4 <> 'failed' THEN $4
      WHEN next_at < deadline THEN 'retried'
      ELSE 'given_up' END AS outcome
    FROM held
  )
  UPDATE webhook_delivery d SET
    status = CASE WHEN outcome = 'delivered' THEN 'delivered' WHEN outcome IN ('gone', 'given_up') THEN 'failed'
      ELSE d.status END,
    due_at = CASE outcome WHEN 'lost' THEN d.due_at WHEN 'retried' THEN next_at END,
    attempts = (
      SELECT jsonb_agg(attempt ORDER BY place)::text FROM (
        SELECT attempt, place FROM jsonb_array_elements(
          CASE WHEN d.attempts IS JSON ARRAY THEN d.attempts::jsonb ELSE '[]' END || $3::jsonb
        ) WITH ORDINALITY AS made(attempt, place) ORDER BY place DESC LIMIT $5
      ) latest
    )
  FROM decided WHERE d.id = decided.id RETURNING outcome`

async function keep(
  db: Pick<PoolClient, 'query'>,
  delivery: DueDelivery,
  { attempt, verdict }: Outcome,
): Promise<DeliveryOutcome> {
  const { id, claimedUntil } = delivery
  const values = [id, claimedUntil, JSON.stringify([attempt]), verdict, maxAttempts]
  const delays = [deliveryDelays.first, deliveryDelays.longest]
  const { rows } = await db.query<{ outcome: DeliveryOutcome }>(keepStatement, [...values, ...delays])
  return rows[0]?.outcome ?? 'lost'
}

/** An address that is gone is not called again. That of a webhook which has another one by now is only tried again. */
function keepGone(pool: Pool, delivery: DueDelivery, { attempt }: Outcome): Promise<DeliveryOutcome> {
  return inTransaction(pool, async (client) => {
    const lock = 'SELECT url FROM webhook WHERE id = $1 FOR NO KEY UPDATE'
    const { rows } = await client.query<{ url: string }>(lock, [delivery.webhookId])
    const isGone = rows[0]?.url === delivery.url
    const outcome = await keep(client, delivery, { attempt, verdict: isGone ? 'gone' : 'failed' })
    if (outcome === 'gone') {
      await client.query('UPDATE webhook SET enabled = false, updated_at = now() WHERE id = $1', [delivery.webhookId])
    }
    return outcome
  })
}

/** A webhook that is enabled is sent what is late all the same: it was not its fault. */
const expireStatement = `
  UPDATE webhook_delivery d SET status = 'failed', due_at = NULL FROM webhook w
  WHERE w.id = d.webhook_id AND NOT w.enabled AND d.status = 'pending' AND d.due_at <= now() AND d.deadline <= now()`

/** An old event that is just being sent again is kept until that is over. */
const forgetStatement = `
  DELETE FROM webhook_event WHERE id IN (
    SELECT e.id FROM webhook_event e
    WHERE e.created_at < now() - $1 * interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = e.id AND d.status = 'pending')
    ORDER BY e.created_at LIMIT $2
  )`
