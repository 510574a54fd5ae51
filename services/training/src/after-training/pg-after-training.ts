import type { AfterTraining } from '@ratchet/contracts/fine-tuning-body'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { AfterTrainingJob, AfterTrainingJobs } from './start-after-eval.ts'

/** Jobs that want an eval, in Postgres. */
export function createPgAfterTraining(pool: Pool): AfterTrainingJobs {
  return {
    async pending(limit) {
      const { rows } = await pool.query<PendingRow>(pendingStatement, [limit])
      return rows.map(jobOf)
    },
    async setEval({ id, workspaceId, version }, evalId) {
      await pool.query(evalStatement, [workspaceId, id, evalId ?? '', version.id])
    },
  }
}

const pendingStatement = `
  SELECT j.id, j.workspace_id, j.created_by, j.finished_at, j.after_training, j.eval_dataset_id, v.id AS version_id, v.name
  FROM training_job j JOIN LATERAL (
    SELECT id, name FROM model_version WHERE job_id = j.id AND workspace_id = j.workspace_id ORDER BY step DESC LIMIT 1
  ) v ON true
  WHERE j.after_training IS NOT NULL AND j.after_eval_id IS NULL AND j.status = 'succeeded'
    AND j.finished_at > now() - interval '1 day'
  ORDER BY j.finished_at LIMIT $1`

const evalStatement = `
  WITH noted AS (
    UPDATE training_job SET after_eval_id = $3 WHERE workspace_id = $1 AND id = $2 RETURNING workspace_id
  )
  INSERT INTO version_edge (version_id, workspace_id, kind, target, created_at)
  SELECT $4, workspace_id, 'eval', $3, now() FROM noted WHERE $3 <> '' ON CONFLICT DO NOTHING`

type PendingRow = Pick<
  Row<'trainingJob', { finished_at: Date; after_training: string }>,
  'id' | 'workspace_id' | 'created_by' | 'finished_at' | 'after_training' | 'eval_dataset_id'
> & { readonly version_id: string; readonly name: string }

function jobOf(row: PendingRow): AfterTrainingJob {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    finishedAt: row.finished_at,
    request: JSON.parse(row.after_training) as AfterTraining,
    evalDatasetId: row.eval_dataset_id,
    version: { id: row.version_id, name: row.name },
  }
}
