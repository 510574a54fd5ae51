import type { Pool } from '@ratchet/db/connect-pool'
import type { CopiedJudge } from './copied-judge.ts'

/**
 * Counts the other judges of the workspace with the same text of the prompt and name of the model that were calibrated before
 * this one was for the first time. Runs are deleted with their judge, so a deleted judge counts if it existed by then: the audit of judges knows
 * its prompts.
 */
export async function countCopies(pool: Pool, judge: CopiedJudge): Promise<number> {
  const { workspaceId, criterionId, promptSha256, judgeModel, at } = judge
  const values = [workspaceId, criterionId, promptSha256, judgeModel, at]
  const { rows } = await pool.query<{ copies: number }>(statement, values)
  return rows[0]?.copies ?? 0
}

const sameJudge = `r.workspace_id = $1 AND r.kind = 'calibration' AND r.status IN ('PENDING', 'RUNNING', 'DONE')
  AND r.prompt_sha256 = $3 AND r.judge_model = $4`

const statement = `
  WITH first AS (SELECT coalesce(min(r.created_at), $5) AS at FROM judge_run r WHERE ${sameJudge} AND r.criterion_id = $2)
  SELECT count(*)::int AS copies FROM (
    SELECT r.criterion_id FROM judge_run r, first
      WHERE ${sameJudge} AND r.criterion_id <> $2 AND r.created_at < first.at
    UNION
    SELECT gone.criterion_id
      FROM first, criterion_event gone
      JOIN criterion_event made
        ON made.workspace_id = $1 AND made.criterion_id = gone.criterion_id AND made.kind = 'create'
      LEFT JOIN criterion c ON c.workspace_id = $1 AND c.id = gone.criterion_id
      WHERE gone.workspace_id = $1 AND gone.kind IN ('update', 'delete') AND c.id IS NULL AND made.created_at < first.at
        AND encode(sha256(convert_to(gone.before::jsonb->>'judge_prompt', 'UTF8')), 'hex') = $3
        AND coalesce(gone.before::jsonb->>'judge_model', $4) = $4
  ) earlier`
