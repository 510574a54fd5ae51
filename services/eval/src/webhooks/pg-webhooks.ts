import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import { type WebhookStore, webhookDelays, webhookHours } from './webhook.ts'

interface DueRow {
  readonly id: string
  readonly request: string
  readonly status: EvalStatus
  readonly webhook_url: string
  readonly finished_at: Date
  readonly webhook_attempts: number
}

/** Messages that are due, in Postgres: whoever takes one on makes it due later, so that a sender that dies loses none. */
export function createPgWebhooks(pool: Pool): WebhookStore {
  return {
    async take(limit) {
      const values = [limit, webhookDelays.first, webhookDelays.longest, webhookHours]
      const { rows } = await pool.query<DueRow>(takeStatement, values)
      return rows.map((row) => ({
        runId: row.id,
        name: (JSON.parse(row.request) as CreateEval).name,
        status: row.status,
        url: row.webhook_url,
        finishedAt: row.finished_at,
        attempts: row.webhook_attempts,
      }))
    },
    async keep(runId, { deliveredAt, error }) {
      const text = `UPDATE eval_run SET webhook_delivered_at = $2, webhook_error = $3,
        webhook_due_at = CASE WHEN $2::timestamptz IS NULL THEN webhook_due_at END WHERE id = $1`
      await pool.query(text, [runId, deliveredAt, error])
    },
  }
}

const takeStatement = `
  UPDATE eval_run r SET webhook_attempts = r.webhook_attempts + 1,
    webhook_due_at = CASE WHEN now() < r.finished_at + $4 * interval '1 hour'
      THEN now() + least($2 * power(2, r.webhook_attempts), $3) * interval '1 second' END
  FROM (SELECT id FROM eval_run WHERE webhook_due_at <= now() ORDER BY webhook_due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE r.id = due.id
  RETURNING r.id, r.request, r.status, r.webhook_url, r.finished_at, r.webhook_attempts`
