import type { Pool } from '@ratchet/db/connect-pool'
import { countsFor, isOfRound } from '../labels/of-round.ts'
import type { GradedCounts } from './judge-progress.ts'

export type ProgressReads = ReturnType<typeof createPgProgress>

/** A calibration leaves out grades of items that people picked, or that a gate drew: one counts when a frame of the judge offered its item. */
const drawnFor = (frames: string) => `EXISTS (
    SELECT 1 FROM grading_frame_item i JOIN grading_frame f ON f.id = i.frame_id
    WHERE CASE l.unit WHEN 'trace' THEN i.trace_id = l.trace_id ELSE i.log_id = l.log_id END
      AND i.workspace_id = l.workspace_id AND i.offered_at IS NOT NULL AND ${frames}
      AND (f.kind <> 'round' OR ${isOfRound('l')}))`

/** Grades for the judge take precedence over grades for no judge in particular. An item with a tie counts as neither. */
const judgesStatement = `
  WITH counted AS (
    SELECT c.id, l.item_key, l.criterion_id IS NOT NULL AS own,
      count(*) FILTER (WHERE l.label = 'fail') AS fails, count(*) FILTER (WHERE l.label = 'pass') AS passes
    FROM criterion c JOIN label l ON l.workspace_id = c.workspace_id AND l.unit = c.unit
      AND ${countsFor('l', { criterionId: 'c.id' })}
      AND ${drawnFor('f.criterion_id = c.id')}
      AND (l.criterion_id = c.id OR (l.criterion_id IS NULL AND (c.population = '' OR l.tag = c.population)
        AND (c.population_family = '' OR l.segment = c.population_family)))
    WHERE c.workspace_id = $1 AND c.status = 'draft'
    GROUP BY c.id, l.item_key, l.criterion_id IS NOT NULL
  ), preferred AS (SELECT DISTINCT ON (id, item_key) * FROM counted ORDER BY id, item_key, own DESC)
  SELECT id, (count(*) FILTER (WHERE fails > passes))::int AS fails, (count(*) FILTER (WHERE passes > fails))::int AS passes
  FROM preferred GROUP BY id`

const wholeStatement = `
  WITH counted AS (
    SELECT unit, item_key, count(*) FILTER (WHERE label = 'fail') AS fails,
      count(*) FILTER (WHERE label = 'pass') AS passes
    FROM label l WHERE workspace_id = $1 AND criterion_id IS NULL AND superseded_by IS NULL AND ${drawnFor('true')}
    GROUP BY unit, item_key
  )
  SELECT (count(*) FILTER (WHERE fails > passes))::int AS fails, (count(*) FILTER (WHERE passes > fails))::int AS passes
  FROM counted GROUP BY unit`

export function createPgProgress(pool: Pool) {
  return {
    /** Items that a calibration of each judge in use would judge, by the judge's UUID; judges without any are left out. */
    async gradedForJudges(workspaceId: string): Promise<ReadonlyMap<string, GradedCounts>> {
      const { rows } = await pool.query<GradedCounts & { readonly id: string }>(judgesStatement, [workspaceId])
      return new Map(rows.map(({ id, fails, passes }) => [id, { fails, passes }]))
    },
    /** Items that were graded for no judge in particular: exchanges, and runs. */
    async gradedAsWhole(workspaceId: string): Promise<readonly GradedCounts[]> {
      const { rows } = await pool.query<GradedCounts>(wholeStatement, [workspaceId])
      return rows
    },
  }
}
