import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { claimSeconds, retryHours } from '@ratchet/work-kit/webhooks/retry-schedule'

/** The webhook of a finished eval that is due to be sent. */
export interface DueWebhook {
  readonly runId: string
  readonly name: string
  readonly status: EvalStatus
  readonly url: string
  readonly finishedAt: Date
  /** Number of attempts, including the one that is about to be made. It also identifies the claim. */
  readonly attempts: number
}

export interface WebhookOutcome {
  /** Null when the attempt failed. */
  readonly deliveredAt: Date | null
  /** Null when the attempt succeeded. */
  readonly error: string | null
  /** Delay before the next attempt if this one failed, milliseconds. */
  readonly retryDelayMs: number
}

export type WebhookStore = ReturnType<typeof createPgWebhooks>

export function createPgWebhooks(pool: Pool) {
  return {
    /** Claims due webhooks. One whose outcome is not saved is due again when its claim ends. */
    async takeDue(limit: number): Promise<readonly DueWebhook[]> {
      const { rows } = await pool.query<DueRow>(takeStatement, [limit, claimSeconds])
      return rows.map((row) => ({
        runId: row.id,
        name: (JSON.parse(row.request) as CreateEval).name,
        status: row.status,
        url: row.webhook_url,
        finishedAt: row.finished_at,
        attempts: row.webhook_attempts,
      }))
    },
    /** Ends the claim. After a failed attempt the webhook is due again, unless a day has passed since the eval ended. */
    async saveOutcome({ runId, attempts }: DueWebhook, outcome: WebhookOutcome): Promise<void> {
      const { deliveredAt, error, retryDelayMs } = outcome
      await pool.query(saveStatement, [runId, attempts, deliveredAt, error, retryDelayMs, retryHours])
    },
  }
}

type DueRow = Pick<
  Row<'evalRun', { webhook_url: string; finished_at: Date }>,
  'id' | 'request' | 'status' | 'webhook_url' | 'finished_at' | 'webhook_attempts'
>

const takeStatement = `
  UPDATE eval_run r SET webhook_attempts = r.webhook_attempts + 1,
    webhook_due_at = now() + $2 * interval '1 second'
  FROM (SELECT id FROM eval_run WHERE webhook_due_at <= now() ORDER BY webhook_due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
  WHERE r.id = due.id
  RETURNING r.id, r.request, r.status, r.webhook_url, r.finished_at, r.webhook_attempts`

const saveStatement = `
  UPDATE eval_run SET webhook_delivered_at = $3, webhook_error = $4,
    webhook_due_at = CASE WHEN $3::timestamptz IS NULL
        AND now() + $5 * interval '1 millisecond' < finished_at + $6 * interval '1 hour'
      THEN now() + $5 * interval '1 millisecond' END
  WHERE id = $1 AND webhook_attempts = $2`
