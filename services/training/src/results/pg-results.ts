import type { Pool } from '@ratchet/db/connect-pool'
import type { StepFigures } from './results-csv.ts'
import type { ResultSteps } from './write-results.ts'

/** The figures of jobs in Postgres. */
export function createPgResults(pool: Pool): ResultSteps {
  return {
    async after({ workspaceId, id }, step, limit) {
      const { rows } = await pool.query<{ step: number; values: string }>(stepsStatement, [
        workspaceId,
        id,
        step,
        limit,
      ])
      return rows.map((row) => ({ step: row.step, values: JSON.parse(row.values) as StepFigures['values'] }))
    },
  }
}

const stepsStatement = `
  SELECT m.step, m.values FROM training_metric m WHERE m.workspace_id = $1 AND m.job_id = $2 AND m.step > $3
  ORDER BY m.step LIMIT $4`
