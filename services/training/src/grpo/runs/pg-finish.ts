import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { LookFigures } from '../judging/judged-step.ts'
import { bestCheckpoint, type LookedCheckpoint } from './best-checkpoint.ts'

/** Runs whose training has ended, of all workspaces. */
export interface FinishingRuns {
  /** Chooses the result of each run that is trained and measured. Returns how many. */
  finish(): Promise<number>
  /** Candidates about which nobody has decided in time are rejected. */
  expire(): Promise<number>
}

/** Days that a candidate waits. */
const candidateDays = 90
const atOnce = 20

export function createPgFinish(pool: Pool): FinishingRuns {
  return {
    async finish() {
      const { rows } = await pool.query<RunRow>(finishingStatement)
      for (const { id, workspace_id: workspaceId } of rows) {
        await inTransaction(pool, async (client) => {
          const looks = await client.query<LookRow>(looksStatement, [id, workspaceId])
          const best = bestCheckpoint(looks.rows.map(lookOf))
          await client.query(stageStatement, [id, workspaceId, best?.step ?? null, best?.servedAs ?? null])
        })
      }
      return rows.length
    },
    async expire() {
      return (await pool.query(expireStatement)).rowCount ?? 0
    },
  }
}

const finishingStatement = `
  SELECT r.id, r.workspace_id FROM grpo_run r JOIN training_job j ON j.id = r.id AND j.workspace_id = r.workspace_id
  WHERE r.stage = 'training' AND j.status = 'succeeded' AND j.held_nano = 0
    AND NOT EXISTS (SELECT 1 FROM grpo_step s WHERE s.run_id = r.id AND s.workspace_id = r.workspace_id
      AND s.kind = 'look' AND s.state = 'judging')
  ORDER BY r.created_at LIMIT ${atOnce}`

const looksStatement = `
  SELECT c.step, c.served_as, s.figures FROM checkpoint c
    LEFT JOIN grpo_step s ON s.run_id = c.job_id AND s.workspace_id = c.workspace_id AND s.kind = 'look' AND s.step = c.step
  WHERE c.job_id = $1 AND c.workspace_id = $2 AND c.durable_at IS NOT NULL AND c.servable ORDER BY c.step`

/** Without a checkpoint there is nothing to adopt. */
const stageStatement = `
  UPDATE grpo_run r SET stage = CASE WHEN $3::int IS NULL THEN 'failed' ELSE 'awaiting_adoption' END, best_step = $3,
    served_as = $4, staged_at = now(), error_code = CASE WHEN $3::int IS NULL THEN 'internal_error' ELSE r.error_code END
  WHERE r.id = $1 AND r.workspace_id = $2 AND r.stage = 'training'`

const expireStatement = `
  UPDATE grpo_run r SET stage = 'rejected', status_message = 'Nobody decided about the candidate in ${candidateDays} days.'
  WHERE r.stage = 'awaiting_adoption' AND r.staged_at < now() - ${candidateDays} * interval '1 day'`

interface RunRow {
  readonly id: string
  readonly workspace_id: string
}

interface LookRow {
  readonly step: number
  readonly served_as: string | null
  readonly figures: string | null
}

function lookOf({ step, served_as: servedAs, figures }: LookRow): LookedCheckpoint {
  const look = figures === null ? null : (JSON.parse(figures) as LookFigures)
  return { step, servedAs, holdoutRate: look?.holdout?.rate ?? null, rewardMean: look?.reward_mean ?? null }
}
