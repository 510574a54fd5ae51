import type { CreateEval } from '@ratchet/contracts/evals'
import type { Pool } from '@ratchet/db/connect-pool'

/** An eval that is DONE and whose notice was not sent yet. */
export interface DoneEval {
  readonly id: string
  readonly workspaceId: string
  readonly createdBy: string
  readonly name: string
  readonly finishedAt: Date
}

/** Position of an eval in the order of `finishedAt`. */
export type DoneEvalCursor = Pick<DoneEval, 'id' | 'finishedAt'>

export type DoneEvalStore = ReturnType<typeof createPgDoneEvals>

export function createPgDoneEvals(pool: Pool) {
  return {
    /** Oldest end first, after the cursor. */
    async pendingNotices(limit: number, after: DoneEvalCursor | null): Promise<readonly DoneEval[]> {
      const values = [limit, after?.finishedAt ?? null, after?.id ?? null]
      const { rows } = await pool.query<DoneRow>(pendingStatement, values)
      return rows.map((row) => ({
        id: row.id,
        workspaceId: row.workspace_id,
        createdBy: row.created_by,
        name: (JSON.parse(row.request) as CreateEval).name,
        finishedAt: row.finished_at,
      }))
    },
    async markNotified(id: string, at: Date): Promise<void> {
      await pool.query('UPDATE eval_run SET told_at = $2 WHERE id = $1 AND told_at IS NULL', [id, at])
    },
    /** Drops the notices of evals that ended before this time. */
    async expire(endedBefore: Date, at: Date): Promise<void> {
      const text = `UPDATE eval_run SET told_at = $2 WHERE status = 'DONE' AND told_at IS NULL AND finished_at < $1`
      await pool.query(text, [endedBefore, at])
    },
  }
}

interface DoneRow {
  readonly id: string
  readonly workspace_id: string
  readonly created_by: string
  readonly request: string
  readonly finished_at: Date
}

const pendingStatement = `
  SELECT id, workspace_id, created_by, request, finished_at FROM eval_run
  WHERE status = 'DONE' AND told_at IS NULL
    AND ($2::timestamptz IS NULL OR (finished_at, id) > ($2, $3::uuid))
  ORDER BY finished_at, id LIMIT $1`
