import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DoneEvalStore } from './done-eval.ts'

interface DoneRow {
  readonly id: string
  readonly workspace_id: string
  readonly created_by: string
  readonly request: string
  readonly finished_at: Date
}

/** Evals of whose end webhooks are still to be told, in Postgres. */
export function createPgDoneEvals(pool: Pool): DoneEvalStore {
  return {
    async untold(limit, after) {
      const { rows } = await pool.query<DoneRow>(untoldStatement, [limit, after?.finishedAt ?? null, after?.id ?? null])
      return rows.map((row) => ({
        id: row.id,
        workspaceId: row.workspace_id,
        createdBy: row.created_by,
        name: (JSON.parse(row.request) as CreateEval).name,
        finishedAt: row.finished_at,
      }))
    },
    async keepTold(id, at) {
      await pool.query('UPDATE eval_run SET told_at = $2 WHERE id = $1 AND told_at IS NULL', [id, at])
    },
    async giveUp(endedBefore, at) {
      const text = `UPDATE eval_run SET told_at = $2 WHERE status = 'DONE' AND told_at IS NULL AND finished_at < $1`
      await pool.query(text, [endedBefore, at])
    },
  }
}

const untoldStatement = `
  SELECT id, workspace_id, created_by, request, finished_at FROM eval_run
  WHERE status = 'DONE' AND told_at IS NULL
    AND ($2::timestamptz IS NULL OR (finished_at, id) > ($2, $3::uuid))
  ORDER BY finished_at, id LIMIT $1`
