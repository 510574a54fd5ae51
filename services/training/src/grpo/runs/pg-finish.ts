import { publicId } from '@ratchet/contracts/public-id'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { manifestOf } from '../../attempts/pg-checkpoints.ts'
import { addNotice } from '../../notices/pg-notices.ts'
import { createCandidateVersion } from '../../versions/pg-create-version.ts'
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
          const versionId = best === null ? null : await createVersion(client, { id, workspaceId }, best.step)
          const { rows: staged } = await client.query<StagedRow>(stageStatement, [
            id,
            workspaceId,
            best?.step ?? null,
            versionId,
          ])
          const [row] = staged
          if (row === undefined) return
          const data = { object: 'grpo.run', id: publicId('grpoRun', id), status: row.stage }
          await addNotice(client, { id: row.notice_id, workspaceId, type: `grpo.run.${row.stage}`, data })
        })
      }
      return rows.length
    },
    async expire() {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<ExpiredRow>(expireStatement, [expiredReason])
        for (const { notice_id: id, workspace_id: workspaceId, version_id: versionId } of rows) {
          const data = { object: 'model_version', id: publicId('modelVersion', versionId), status: 'rejected' }
          await addNotice(client, { id, workspaceId, type: 'model_version.rejected', data })
        }
        return rows.length
      })
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
  SELECT c.step, s.figures FROM checkpoint c
    LEFT JOIN grpo_step s ON s.run_id = c.job_id AND s.workspace_id = c.workspace_id AND s.kind = 'look' AND s.step = c.step
  WHERE c.job_id = $1 AND c.workspace_id = $2 AND c.durable_at IS NOT NULL AND c.servable ORDER BY c.step`

/** Without a checkpoint there is nothing to adopt. */
const stageStatement = `
  UPDATE grpo_run r SET stage = CASE WHEN $3::int IS NULL THEN 'failed' ELSE 'awaiting_adoption' END, best_step = $3,
    model_version_id = $4, staged_at = now(), error_code = CASE WHEN $3::int IS NULL THEN 'internal_error' ELSE r.error_code END
  WHERE r.id = $1 AND r.workspace_id = $2 AND r.stage = 'training' RETURNING r.stage, gen_random_uuid() AS notice_id`

interface StagedRow {
  readonly stage: 'awaiting_adoption' | 'failed'
  readonly notice_id: string
}

const expiredReason = `Nobody decided about the candidate in ${candidateDays} days.`

/** Whoever adopted or rejected the version, or its run, has decided. The version of a run that is over is no candidate any more. */
const expireStatement = `
  WITH due AS (
    SELECT r.id, r.workspace_id, v.id AS version_id FROM grpo_run r
      JOIN model_version v ON v.id = r.model_version_id AND v.workspace_id = r.workspace_id
    WHERE r.stage = 'awaiting_adoption' AND r.staged_at < now() - ${candidateDays} * interval '1 day'
      AND v.rejected_at IS NULL
      AND NOT EXISTS (SELECT FROM model_adoption a WHERE a.workspace_id = r.workspace_id AND a.model = v.name)
    FOR UPDATE OF r, v
  ), ended AS (
    UPDATE grpo_run r SET stage = 'rejected', status_message = $1 FROM due
    WHERE r.id = due.id AND r.workspace_id = due.workspace_id
  )
  UPDATE model_version v SET rejected_at = now(), reject_reason = $1 FROM due
  WHERE v.id = due.version_id AND v.workspace_id = due.workspace_id
  RETURNING v.id AS version_id, v.workspace_id, gen_random_uuid() AS notice_id`

interface ExpiredRow {
  readonly version_id: string
  readonly workspace_id: string
  readonly notice_id: string
}

/** Makes the best checkpoint a version, whose id is that of the checkpoint. */
async function createVersion(client: PoolClient, { id, workspaceId }: RunKey, step: number): Promise<string> {
  const { rows } = await client.query<CheckpointRow>(checkpointStatement, [id, workspaceId, step])
  const [row] = rows
  if (row === undefined) throw new Error('The statement returned no row.')
  await createCandidateVersion(client, {
    id: row.id,
    workspaceId,
    baseModel: row.base_model,
    suffix: null,
    producedBy: { type: 'grpo', id },
    jobId: null,
    step,
    parentId: row.warm_start_id,
    datasetId: row.dataset_id,
    files: manifestOf(row.manifest),
    adapterRank: row.lora_rank,
    metrics: JSON.parse(row.metrics) as Record<string, number | null>,
    servedAs: row.served_as,
    createdBy: row.created_by,
  })
  return row.id
}

const checkpointStatement = `
  SELECT c.id, c.manifest, c.metrics, c.served_as, j.base_model, j.dataset_id, j.created_by, j.warm_start_id,
    (j.settings::jsonb -> 'hyperparameters' ->> 'lora_rank')::int AS lora_rank
  FROM checkpoint c JOIN training_job j ON j.id = c.job_id AND j.workspace_id = c.workspace_id
  WHERE c.job_id = $1 AND c.workspace_id = $2 AND c.step = $3 AND c.durable_at IS NOT NULL`

interface CheckpointRow {
  readonly id: string
  readonly manifest: string
  readonly metrics: string
  readonly served_as: string | null
  readonly base_model: string
  readonly dataset_id: string | null
  readonly created_by: string
  readonly warm_start_id: string | null
  readonly lora_rank: number | null
}

interface RunKey {
  readonly id: string
  readonly workspaceId: string
}

interface RunRow {
  readonly id: string
  readonly workspace_id: string
}

interface LookRow {
  readonly step: number
  readonly figures: string | null
}

function lookOf({ step, figures }: LookRow): LookedCheckpoint {
  const look = figures === null ? null : (JSON.parse(figures) as LookFigures)
  return { step, holdoutRate: look?.holdout?.rate ?? null, rewardMean: look?.reward_mean ?? null }
}
