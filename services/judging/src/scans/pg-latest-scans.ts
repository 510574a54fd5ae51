import type { Pool } from '@ratchet/db/connect-pool'
import type { JudgeRun } from '../runs/judge-run.ts'
import { type RunRow, runOf } from '../runs/pg-runs.ts'

export type ReadLatestScans = ReturnType<typeof createPgLatestScans>

/** Of a judge that was changed since, a scan says nothing. One with filters says nothing about the rest of the traffic. */
const statement = `
  SELECT DISTINCT ON (r.criterion_id) r.*
  FROM judge_run r JOIN criterion c ON c.id = r.criterion_id AND c.instrument = r.instrument
  WHERE r.workspace_id = $1 AND c.workspace_id = $1 AND c.status = 'draft' AND c.unit = 'request'
    AND r.kind = 'scan' AND r.status = 'DONE' AND r.request::jsonb -> 'filters' = '{}'::jsonb
  ORDER BY r.criterion_id, r.finished_at DESC, r.id DESC`

/** Reads the newest finished scan of each judge of exchanges that is in use. */
export function createPgLatestScans(pool: Pool) {
  return async (workspaceId: string): Promise<readonly JudgeRun[]> => {
    const { rows } = await pool.query<RunRow>(statement, [workspaceId])
    return rows.map(runOf)
  }
}
