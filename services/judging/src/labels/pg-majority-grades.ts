import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { GradeKey } from '../judgements/verdict-reads.ts'

export interface RequestedGrades extends GradeKey {
  readonly logIds: readonly string[]
  /** Restricts to exchanges that were chosen for grading at random. */
  readonly onlyRandom: boolean
}

type GradeRow = Pick<Row<'label', { log_id: string }>, 'log_id' | 'label'>

/** Grades for the criterion take precedence over those of the exchange as a whole. Ties are excluded. */
const majorityStatement = `
  WITH counted AS (
    SELECT log_id, criterion_id IS NOT NULL AS own,
      count(*) FILTER (WHERE label = 'fail') AS fails, count(*) FILTER (WHERE label = 'pass') AS passes
    FROM label
    WHERE workspace_id = $1 AND (criterion_id = $2 OR criterion_id IS NULL) AND log_id = ANY($3::uuid[])
      AND superseded_by IS NULL AND (NOT $4::boolean OR sampling_method = 'random')
    GROUP BY log_id, criterion_id IS NOT NULL
  ), preferred AS (SELECT DISTINCT ON (log_id) * FROM counted ORDER BY log_id, own DESC)
  SELECT log_id, (CASE WHEN fails > passes THEN 'fail' ELSE 'pass' END)::verdict AS label
  FROM preferred WHERE fails <> passes`

/** Verdicts of the majority of graders for a criterion, by log UUID. */
export async function majorityGrades(
  pool: Pool,
  { workspaceId, criterionId, logIds, onlyRandom }: RequestedGrades,
): Promise<ReadonlyMap<string, Verdict>> {
  const { rows } = await pool.query<GradeRow>(majorityStatement, [workspaceId, criterionId, logIds, onlyRandom])
  return new Map(rows.map(({ log_id: logId, label }) => [logId, label]))
}
