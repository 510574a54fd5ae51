import type { Pool } from '@ratchet/db/connect-pool'
import type { GradingPace } from './grading-takes.ts'

export type ReadGradingPace = (workspaceId: string) => Promise<GradingPace>

/** How many of the latest grades of a workspace say how long one takes. */
const latest = 500
/** Longer than this a person did something else. */
const maxShownMs = 180_000

export function createPgGradingPace(pool: Pool): ReadGradingPace {
  return async (workspaceId) => {
    const { rows } = await pool.query<PaceRow>(statement, [workspaceId, latest, maxShownMs])
    return { medianMs: rows[0]?.median_ms ?? null, grades: rows[0]?.grades ?? 0 }
  }
}

interface PaceRow {
  readonly median_ms: number | null
  readonly grades: number
}

const statement = `
  SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY least(shown_ms, $3)) AS median_ms, count(*)::int AS grades
  FROM (SELECT shown_ms FROM review_grade WHERE workspace_id = $1 ORDER BY position DESC LIMIT $2) latest`
