import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { GradeKey } from '../judgements/verdict-reads.ts'
import { countsFor } from './of-round.ts'

export interface RequestedGrades extends GradeKey {
  readonly unit: StoredCriterion['unit']
  /** UUIDs of log entries; trace ids for the unit `trace`. */
  readonly itemIds: readonly string[]
  /** Restricts to items that were chosen for grading at random. */
  readonly onlyRandom: boolean
}

interface GradeRow extends Pick<Row<'label'>, 'label'> {
  readonly item_id: string
}

/** The column of an item's id, in `label` and in `judgement`. */
export const idColumns = { request: 'log_id', trace: 'trace_id' } as const
export const idTypes = { request: 'uuid', trace: 'text' } as const

/** The draw of an item must be on record. */
const isRandom = (unit: StoredCriterion['unit']) => `EXISTS (
        SELECT 1 FROM grading_frame_item i JOIN grading_frame f ON f.id = i.frame_id
        WHERE f.criterion_id = $2 AND f.workspace_id = $1 AND i.workspace_id = $1 AND f.kind = 'random'
          AND i.${idColumns[unit]} = label.${idColumns[unit]} AND i.offered_at IS NOT NULL)`

/** Grades for the criterion take precedence over those of the item as a whole. Ties are excluded. */
const majorityStatement = (unit: StoredCriterion['unit']) => `
  WITH counted AS (
    SELECT ${idColumns[unit]} AS item_id, criterion_id IS NOT NULL AS own,
      count(*) FILTER (WHERE label = 'fail') AS fails, count(*) FILTER (WHERE label = 'pass') AS passes
    FROM label
    WHERE workspace_id = $1 AND (criterion_id = $2 OR criterion_id IS NULL) AND unit = $5
      AND ${idColumns[unit]} = ANY($3::${idTypes[unit]}[]) AND ${countsFor('label', { criterionId: '$2' })}
      AND (NOT $4::boolean OR ${isRandom(unit)})
    GROUP BY item_id, criterion_id IS NOT NULL
  ), preferred AS (SELECT DISTINCT ON (item_id) * FROM counted ORDER BY item_id, own DESC)
  SELECT item_id, (CASE WHEN fails > passes THEN 'fail' ELSE 'pass' END)::verdict AS label
  FROM preferred WHERE fails <> passes`

/** Verdicts of the majority of graders for a criterion, by log UUID or trace id. */
export async function majorityGrades(
  pool: Pool,
  { workspaceId, criterionId, unit, itemIds, onlyRandom }: RequestedGrades,
): Promise<ReadonlyMap<string, Verdict>> {
  const { rows } = await pool.query<GradeRow>(majorityStatement(unit), [
    workspaceId,
    criterionId,
    itemIds,
    onlyRandom,
    unit,
  ])
  return new Map(rows.map(({ item_id: itemId, label }) => [itemId, label]))
}
