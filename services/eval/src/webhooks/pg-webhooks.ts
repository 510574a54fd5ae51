import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'

/** The webhook of a finished eval that is due to be sent. */
export interface DueWebhook {
  readonly runId: string
  readonly name: string
  readonly status: EvalStatus
  readonly url: string
  readonly finishedAt: Date
  /** Includes the attempt that is about to be made. */
  readonly attempts: number
}

export interface WebhookOutcome {
  /** Null when the attempt failed. */
  readonly deliveredAt: Date | null
  /** Null when the attempt succeeded. */
  readonly error: string | null
}

export type WebhookStore = ReturnType<typeof createPgWebhooks>

/** How long after the end of an eval its webhook is retried, hours. */
const retryHours = 24
/** Delay after the first attempt, seconds. It doubles with each attempt. */
const firstDelaySeconds = 10
const maxDelaySeconds = 3_600

export function createPgWebhooks(pool: Pool) {
  return {
    /** Takes due webhooks and schedules their next attempt at once, so that none is lost when the sender dies. */
    async takeDue(limit: number): Promise<readonly DueWebhook[]> {
      const values = [limit, firstDelaySeconds, maxDelaySeconds, retryHours]
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
    async saveOutcome(runId: string, { deliveredAt, error }: WebhookOutcome): Promise<void> {
      const text = `UPDATE eval_run SET webhook_delivered_at = $2, webhook_error = $3,
        webhook_due_at = CASE WHEN $2::timestamptz IS NULL THEN webhook_due_at END WHERE id = $1`
      await pool.query(text, [runId, deliveredAt, error])
    },
  }
}

interface DueRow {
  readonly id: string
  readonly request: string
  readonly status: EvalStatus
  readonly webhook_url: string
  readonly finished_at: Date
  readonly webhook_attempts: number
}

const takeStatement = `
  UPDATE eval_run r SET webhook_attempts = r.webhook_attempts + 1,
    webhook_due_at = CASE WHEN now() < r.finished_at + $4 * interval '1 hour'
      THEN now() + least($2 * power(2, r.webhook_attempts), $3) * interval '1 second' END
  FROM (SELECT id FROM eval_run WHERE webhook_due_at <= now() ORDER BY webhook_due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE r.id = due.id
  RETURNING r.id, r.request, r.status, r.webhook_url, r.finished_at, r.webhook_attempts`
