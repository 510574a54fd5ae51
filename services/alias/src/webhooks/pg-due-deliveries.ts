import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { claimSeconds } from '@ratchet/work-kit/webhooks/retry-schedule'
import type { AttemptResult, DeliveryOutcome, DueDelivery } from './delivery.ts'
import type { WebhookFormat } from './message-format.ts'

/** Deliveries in progress at the same time, to one workspace and to one of its webhooks. */
const maxOfWorkspace = 4
const maxOfWebhook = 2
/** The last attempts of a delivery that are stored. */
const maxAttempts = 50
/** Time after which events are deleted together with their deliveries, days. */
const retentionDays = 30
/** Events deleted by one statement. */
const purgeSize = 500

interface DueRow
  extends Pick<Row<'webhookDelivery', { due_at: Date }>, 'id' | 'event_id' | 'webhook_id' | 'due_at' | 'tries'>,
    Pick<Row<'webhookEvent'>, 'body' | 'workspace_id'>,
    Pick<Row<'webhook'>, 'url' | 'format' | 'ciphertext' | 'nonce' | 'key_id'> {}

export type DueDeliveryStore = ReturnType<typeof createPgDueDeliveries>

/** Due deliveries in Postgres. Claims use the clock of the database, so the clocks of processes need not agree. */
export function createPgDueDeliveries(pool: Pool) {
  return {
    /**
     * Claims due deliveries. A delivery whose outcome is not saved is due again when its claim ends.
     *
     * @param inProgress deliveries of this process, so that one receiver or workspace does not take all places
     */
    async take(limit: number, inProgress: readonly Pick<DueDelivery, 'webhookId' | 'workspaceId'>[]) {
      const busy = [inProgress.map(({ webhookId }) => webhookId), inProgress.map(({ workspaceId }) => workspaceId)]
      const values = [limit, ...busy, maxOfWebhook, maxOfWorkspace, claimSeconds]
      return (await pool.query<DueRow>(takeStatement, values)).rows.map(dueOf)
    },
    save: (delivery: DueDelivery, result: AttemptResult): Promise<DeliveryOutcome> =>
      result.result === 'gone' ? saveGone(pool, delivery, result) : save(pool, delivery, result),
    /** Ends deliveries to disabled webhooks after their deadline. */
    async expire(): Promise<void> {
      await pool.query(expireStatement)
    },
    /** Deletes old events with their deliveries. */
    async purge(): Promise<void> {
      let deleted: number | null
      do deleted = (await pool.query(purgeStatement, [retentionDays, purgeSize])).rowCount
      while (deleted === purgeSize)
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
    format: row.format as WebhookFormat,
    secret: { keyId: row.key_id, nonce: new Uint8Array(row.nonce), ciphertext: new Uint8Array(row.ciphertext) },
    tries: row.tries,
    claimedUntil: row.due_at,
  }
}

/**
 * Within the limits of each webhook and workspace, those first whose workspace has the fewest in progress, and of these the
 * longest overdue: a free place goes to a workspace whose receivers answer, however many hang.
 */
const takeStatement = `
  WITH busy AS (
    SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS in_progress(webhook_id, workspace_id)
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
    SELECT d.id FROM webhook_delivery d JOIN of_workspace o ON o.id = d.id
    WHERE o.place <= $5 AND d.status = 'pending' AND d.due_at <= now()
    ORDER BY o.place, d.due_at, d.id LIMIT $1 FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE webhook_delivery d SET tries = d.tries + 1, due_at = now() + $6 * interval '1 second'
  FROM due, webhook w, webhook_event e
  WHERE d.id = due.id AND w.id = d.webhook_id AND e.id = d.event_id
  RETURNING d.id, d.event_id, d.due_at, d.tries, e.body, w.id AS webhook_id, w.workspace_id, w.url, w.format, w.ciphertext,
    w.nonce, w.key_id`

/** Every attempt is stored. It changes the state only while its claim is the current one. */
const saveStatement = `
  WITH claimed AS (
    SELECT id, deadline, status = 'pending' AND due_at = $2 AS is_current,
      now() + $6 * interval '1 millisecond' AS next_at
    FROM webhook_delivery WHERE id = $1 FOR UPDATE
  ), decided AS (
    SELECT id, next_at, CASE
      WHEN is_current IS NOT TRUE THEN 'lost'
      WHEN $4 <> 'failed' THEN $4
      WHEN next_at < deadline THEN 'retried'
      ELSE 'dead_lettered' END AS outcome
    FROM claimed
  )
  UPDATE webhook_delivery d SET
    status = CASE WHEN outcome = 'delivered' THEN 'delivered' WHEN outcome IN ('gone', 'dead_lettered') THEN 'failed'
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

async function save(
  db: Pick<PoolClient, 'query'>,
  { id, claimedUntil }: DueDelivery,
  { attempt, result, retryDelayMs }: AttemptResult,
): Promise<DeliveryOutcome> {
  const values = [id, claimedUntil, JSON.stringify([attempt]), result, maxAttempts, retryDelayMs]
  const { rows } = await db.query<{ outcome: DeliveryOutcome }>(saveStatement, values)
  return rows[0]?.outcome ?? 'lost'
}

/** Disables the webhook. If its URL was changed since the attempt, the attempt only counts as failed. */
function saveGone(pool: Pool, delivery: DueDelivery, result: AttemptResult): Promise<DeliveryOutcome> {
  return inTransaction(pool, async (client) => {
    const lock = 'SELECT url FROM webhook WHERE id = $1 FOR NO KEY UPDATE'
    const { rows } = await client.query<{ url: string }>(lock, [delivery.webhookId])
    const isGone = rows[0]?.url === delivery.url
    const outcome = await save(client, delivery, { ...result, result: isGone ? 'gone' : 'failed' })
    if (outcome === 'gone') {
      await client.query('UPDATE webhook SET enabled = false, updated_at = now() WHERE id = $1', [delivery.webhookId])
    }
    return outcome
  })
}

/** Deliveries to an enabled webhook are attempted even after their deadline: this service, not the receiver, was late. */
const expireStatement = `
  UPDATE webhook_delivery d SET status = 'failed', due_at = NULL FROM webhook w
  WHERE w.id = d.webhook_id AND NOT w.enabled AND d.status = 'pending' AND d.due_at <= now() AND d.deadline <= now()`

/** An old event that is being replayed is not deleted before its deliveries end. */
const purgeStatement = `
  DELETE FROM webhook_event WHERE id IN (
    SELECT e.id FROM webhook_event e
    WHERE e.created_at < now() - $1 * interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = e.id AND d.status = 'pending')
    ORDER BY e.created_at LIMIT $2
  )`
