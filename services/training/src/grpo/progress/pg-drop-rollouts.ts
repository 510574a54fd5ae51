import type { Pool } from '@ratchet/db/connect-pool'

/** Runs of one call, and answers of one statement. */
const runsAtOnce = 20
const rolloutsAtOnce = 5_000

/**
 * Forgets the answers of runs that ended before a time, with their verdicts. What people graded stays, and what an audit of the
 * chosen step shows: the best answer to each prompt of its look. Figures of steps and looks stay too.
 *
 * @returns how many answers
 */
export async function dropRollouts(pool: Pool, before: Date): Promise<number> {
  const { rows } = await pool.query<{ id: string; workspace_id: string }>(endedStatement, [before])
  let dropped = 0
  for (const { id, workspace_id: workspaceId } of rows) {
    for (let last = rolloutsAtOnce; last === rolloutsAtOnce; dropped += last) {
      last = (await pool.query(dropStatement, [id, workspaceId])).rowCount ?? 0
    }
    await pool.query(droppedStatement, [id, workspaceId])
  }
  return dropped
}

/** Of all workspaces. */
const endedStatement = `
  SELECT r.id, r.workspace_id FROM grpo_run r JOIN training_job j ON j.id = r.id AND j.workspace_id = r.workspace_id
  WHERE r.rollouts_dropped_at IS NULL AND j.finished_at < $1
    AND (j.status IN ('failed', 'cancelled') OR r.stage <> 'training')
  ORDER BY j.finished_at LIMIT ${runsAtOnce}`

const dropStatement = `
  WITH best AS (
    SELECT DISTINCT ON (o."group") o.id
    FROM grpo_run r JOIN grpo_step s ON s.run_id = r.id AND s.workspace_id = r.workspace_id AND s.kind = 'look'
        AND s.step = r.best_step
      JOIN grpo_rollout o ON o.step_id = s.id AND o.workspace_id = s.workspace_id
    WHERE r.id = $1 AND r.workspace_id = $2 AND o.reward IS NOT NULL
    ORDER BY o."group", o.reward DESC, o.id
  )
  DELETE FROM grpo_rollout d WHERE d.run_id = $1 AND d.workspace_id = $2 AND d.id IN (
    SELECT o.id FROM grpo_rollout o
    WHERE o.run_id = $1 AND o.workspace_id = $2 AND o.id NOT IN (SELECT b.id FROM best b)
      AND NOT EXISTS (SELECT FROM grpo_grade g WHERE g.rollout_id = o.id AND g.workspace_id = $2)
    LIMIT ${rolloutsAtOnce})`

const droppedStatement = `
  UPDATE grpo_run r SET rollouts_dropped_at = now() WHERE r.id = $1 AND r.workspace_id = $2`
