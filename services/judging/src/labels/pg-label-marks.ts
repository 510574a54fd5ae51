import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'

export interface MarkRequest {
  readonly workspaceId: string
  /** The person whose own grades are named. */
  readonly graderId: string
  /** UUID; null for all judges. */
  readonly criterionId: string | null
  /** UUIDs. */
  readonly logIds: readonly string[]
}

export interface LabelMark {
  readonly logId: string
  readonly fails: number
  readonly passes: number
  readonly mine: Verdict | null
}

/** Which exchanges have grades; those without are left out. */
export type LabelMarks = (request: MarkRequest) => Promise<readonly LabelMark[]>

const marksStatement = `
  SELECT log_id AS "logId", (count(*) FILTER (WHERE label = 'fail'))::int AS fails,
    (count(*) FILTER (WHERE label = 'pass'))::int AS passes,
    (array_agg(label ORDER BY created_at DESC) FILTER (WHERE grader_id = $4))[1] AS mine
  FROM label
  WHERE workspace_id = $1 AND log_id = ANY($2::uuid[]) AND superseded_by IS NULL
    AND ($3::uuid IS NULL OR criterion_id = $3 OR criterion_id IS NULL)
  GROUP BY log_id`

export function createPgLabelMarks(pool: Pool): LabelMarks {
  return async ({ workspaceId, graderId, criterionId, logIds }) => {
    const { rows } = await pool.query<LabelMark>(marksStatement, [workspaceId, logIds, criterionId, graderId])
    return rows
  }
}
