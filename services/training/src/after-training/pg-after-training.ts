import type { AfterTraining } from '@ratchet/contracts/fine-tuning-body'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import type { GrpoPrompt } from '../grpo/runs/read-prompts.ts'
import type { AfterTrainingJob, AfterTrainingJobs } from './start-after-eval.ts'

/** Jobs and runs that want an eval, in Postgres. */
export function createPgAfterTraining(pool: Pool): AfterTrainingJobs {
  return {
    async pending(limit) {
      const { rows } = await pool.query<PendingRow>(pendingStatement, [limit])
      return rows.map(jobOf)
    },
    async proofOf({ id, workspaceId, roundId }) {
      if (roundId !== null) {
        const { rows } = await pool.query<{ prompt: string }>(heldOutStatement, [workspaceId, roundId])
        return rows.map(({ prompt }) => JSON.parse(prompt) as GrpoPrompt)
      }
      const { rows } = await pool.query<Pick<Row<'grpoPrompt'>, 'messages' | 'tools'>>(proofStatement, [
        workspaceId,
        id,
      ])
      return rows.map(({ messages, tools }) => ({
        messages: JSON.parse(messages) as GrpoPrompt['messages'],
        tools: tools === null ? null : (JSON.parse(tools) as GrpoPrompt['tools']),
      }))
    },
    async setEval({ id, workspaceId, version }, evalId) {
      await pool.query(evalStatement, [workspaceId, id, evalId, version.id])
    },
    async setRefused({ id, workspaceId, kind, roundId }, why) {
      await pool.query(refusedStatement, [workspaceId, id])
      const text = storableText(why, 2_000)
      if (kind === 'grpo') await pool.query(warningOf('grpo_run'), [workspaceId, id, text])
      if (roundId !== null) await pool.query(warningOf('raft_round'), [workspaceId, roundId, text])
    },
  }
}

const pendingStatement = `
  SELECT j.id, j.workspace_id, j.created_by, coalesce(r.staged_at, j.finished_at) AS finished_at, j.after_training,
    j.eval_dataset_id, r.id IS NOT NULL AS is_run,
    CASE WHEN j.producer_kind = 'raft' THEN j.producer_id END AS round_id, v.id AS version_id, v.name
  FROM training_job j LEFT JOIN grpo_run r ON r.id = j.id AND r.workspace_id = j.workspace_id
  JOIN LATERAL (
    SELECT m.id, m.name FROM model_version m
    WHERE m.workspace_id = j.workspace_id AND (m.job_id = j.id OR m.id = r.model_version_id) ORDER BY m.step DESC LIMIT 1
  ) v ON true
  WHERE j.after_training IS NOT NULL AND j.after_eval_id IS NULL AND j.status = 'succeeded'
    AND j.finished_at > now() - interval '1 day'
  ORDER BY j.finished_at LIMIT $1`

const proofStatement = `
  SELECT messages, tools FROM grpo_prompt WHERE workspace_id = $1 AND run_id = $2 AND part = 'proof' ORDER BY place`

const evalStatement = `
  WITH noted AS (
    UPDATE training_job SET after_eval_id = $3 WHERE workspace_id = $1 AND id = $2 RETURNING workspace_id
  )
  INSERT INTO version_edge (version_id, workspace_id, kind, target, created_at)
  SELECT $4, workspace_id, 'eval', $3, now() FROM noted ON CONFLICT DO NOTHING`

/** It is empty, so that none is tried again. */
const refusedStatement = `UPDATE training_job SET after_eval_id = '' WHERE workspace_id = $1 AND id = $2`

const heldOutStatement = `
  SELECT prompt FROM raft_prompt WHERE workspace_id = $1 AND round_id = $2 AND held_out ORDER BY prompt_index`

const warningOf = (table: 'grpo_run' | 'raft_round') => `
  UPDATE ${table} SET warnings = (warnings::jsonb || to_jsonb($3::text))::text WHERE workspace_id = $1 AND id = $2`

type PendingRow = Pick<
  Row<'trainingJob', { finished_at: Date; after_training: string }>,
  'id' | 'workspace_id' | 'created_by' | 'finished_at' | 'after_training' | 'eval_dataset_id'
> & { readonly version_id: string; readonly name: string; readonly is_run: boolean; readonly round_id: string | null }

function jobOf(row: PendingRow): AfterTrainingJob {
  return {
    id: row.id,
    kind: row.is_run ? 'grpo' : row.round_id === null ? 'fine_tuning' : 'raft',
    roundId: row.round_id,
    workspaceId: row.workspace_id,
    createdBy: row.created_by,
    finishedAt: row.finished_at,
    request: JSON.parse(row.after_training) as AfterTraining,
    evalDatasetId: row.eval_dataset_id,
    version: { id: row.version_id, name: row.name },
  }
}
