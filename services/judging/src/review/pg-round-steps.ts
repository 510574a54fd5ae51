import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { LoggedRunItem } from '../judgements/plan-logged.ts'
import type { Round } from './round.ts'

export type JudgedSteps = Pick<LoggedRunItem, 'stepIds' | 'tag' | 'segment'>

/** The steps of a run that the judge of a round judged; null when the run was deleted or has expired. */
export type RoundSteps = (
  round: Pick<Round, 'workspaceId' | 'id' | 'criterionId'>,
  traceId: string,
) => Promise<JudgedSteps | null>

/** People grade the steps that the judge judged, also when the run has continued since. */
export function createPgRoundSteps(pool: Pool): RoundSteps {
  const text = `SELECT step_ids, tag, segment FROM judgement
    WHERE workspace_id = $1 AND run_id = $2 AND criterion_id = $3 AND trace_id = $4`
  return async ({ workspaceId, id, criterionId }, traceId) => {
    const { rows } = await pool.query<Pick<Row<'judgement'>, 'step_ids' | 'tag' | 'segment'>>(text, [
      workspaceId,
      id,
      criterionId,
      traceId,
    ])
    const [row] = rows
    return row === undefined ? null : { stepIds: row.step_ids, tag: row.tag, segment: row.segment }
  }
}
