import type { Pool } from '@ratchet/db/connect-pool'
import type { CopiedJudge } from './copied-judge.ts'

/**
 * Counts what had a chance to be proven before this judge. First, the other judges of the workspace with the same text of the prompt
 * and name of the model that were calibrated before this one was for the first time. Runs are deleted with their judge, so a deleted
 * judge counts if it existed by then: the audit of judges knows its prompts. Second, the other prompts and models that this judge
 * had before, if a calibration of them has judged an item of this one.
 */
export async function countCopies(pool: Pool, judge: CopiedJudge): Promise<number> {
  const { workspaceId, criterionId, promptSha256, judgeModel, at, runId } = judge
  const values = [workspaceId, criterionId, promptSha256, judgeModel, at]
  const copies = await pool.query<{ count: number }>(copiesStatement, values)
  const earlier = await pool.query<{ count: number }>(earlierStatement, [...values, runId])
  return (copies.rows[0]?.count ?? 0) + (earlier.rows[0]?.count ?? 0)
}

const sameJudge = `r.workspace_id = $1 AND r.kind = 'calibration' AND r.status <> 'FAILED'
  AND r.prompt_sha256 = $3 AND r.judge_model = $4`

const copiesStatement = `
  WITH first AS (SELECT coalesce(min(r.created_at), $5) AS at FROM judge_run r WHERE ${sameJudge} AND r.criterion_id = $2)
  SELECT count(*)::int AS count FROM (
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

/** Verdicts of a calibration can be read before it is over, so it counts whatever its status is. */
const earlierStatement = `
  WITH item AS (
    SELECT l.item_key FROM judgement j JOIN label l ON l.id = j.label_id WHERE j.run_id = $6::uuid
  ), tried AS (
    SELECT r.prompt_sha256 = $3 AND r.judge_model = $4 AS is_present, r.prompt_sha256, r.judge_model, r.created_at
    FROM judge_run r
    WHERE r.workspace_id = $1 AND r.criterion_id = $2 AND r.kind = 'calibration' AND r.created_at <= $5 AND EXISTS (
      SELECT FROM judgement j JOIN label l ON l.id = j.label_id
      WHERE j.run_id = r.id AND j.state = 'done' AND j.verdict IS NOT NULL AND ($6::uuid IS NULL OR l.item_key IN (SELECT item_key FROM item)))
  )
  SELECT count(DISTINCT (prompt_sha256, judge_model))::int AS count FROM tried
  WHERE NOT is_present AND created_at < coalesce((SELECT min(created_at) FROM tried WHERE is_present), $5)`
