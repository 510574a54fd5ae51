import type { Pool } from '@ratchet/db/connect-pool'
import type { ProgressReads } from './progress-reads.ts'

interface CountsRow {
  readonly id: string
  readonly fails: number
  readonly passes: number
}

/** Grades for the judge go before grades of whole exchanges; an item whose graders are of two minds is neither. */
const judgesStatement = `
  WITH counted AS (
    SELECT c.id, l.item_key, l.criterion_id IS NOT NULL AS own,
      count(*) FILTER (WHERE l.label = 'fail') AS fails, count(*) FILTER (WHERE l.label = 'pass') AS passes
    FROM criterion c JOIN label l ON l.workspace_id = c.workspace_id AND l.superseded_by IS NULL AND l.unit = c.unit
      AND (l.criterion_id = c.id OR (l.criterion_id IS NULL AND (c.population = '' OR l.tag = c.population)
        AND (c.population_family = '' OR l.segment = c.population_family)))
    WHERE c.workspace_id = $1 AND c.status = 'draft'
    GROUP BY c.id, l.item_key, l.criterion_id IS NOT NULL
  ), preferred AS (SELECT DISTINCT ON (id, item_key) * FROM counted ORDER BY id, item_key, own DESC)
  SELECT id, (count(*) FILTER (WHERE fails > passes))::int AS fails, (count(*) FILTER (WHERE passes > fails))::int AS passes
  FROM preferred GROUP BY id`

const wholeStatement = `
  WITH counted AS (
    SELECT item_key, count(*) FILTER (WHERE label = 'fail') AS fails, count(*) FILTER (WHERE label = 'pass') AS passes
    FROM label WHERE workspace_id = $1 AND criterion_id IS NULL AND superseded_by IS NULL GROUP BY item_key
  )
  SELECT (count(*) FILTER (WHERE fails > passes))::int AS fails, (count(*) FILTER (WHERE passes > fails))::int AS passes
  FROM counted`

/** Counts for the setup status, in Postgres. */
export function createPgProgress(pool: Pool): ProgressReads {
  return {
    async gradedForJudges(workspaceId) {
      const { rows } = await pool.query<CountsRow>(judgesStatement, [workspaceId])
      return new Map(rows.map(({ id, fails, passes }) => [id, { fails, passes }]))
    },
    async gradedAsWhole(workspaceId) {
      const { rows } = await pool.query<Omit<CountsRow, 'id'>>(wholeStatement, [workspaceId])
      return rows[0] ?? { fails: 0, passes: 0 }
    },
  }
}
