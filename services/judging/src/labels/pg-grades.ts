import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { GradeInForce } from '../calibration/graded-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'

/** A grade is in force from its creation until another one supersedes it. */
const inForceStatement = `
  SELECT l.id, l.item_key, l.label, l.grader_id, l.criterion_id IS NOT NULL AS is_own, l.snapshot_id,
    l.sampling_method, l.sampling_probability, l.sampling_stratum, l.segment, l.tag, l.created_at
  FROM label l LEFT JOIN label later ON later.id = l.superseded_by
  WHERE l.workspace_id = $1 AND l.unit = $2 AND l.created_at <= $3
    AND (l.superseded_by IS NULL OR later.created_at > $3)
    AND (l.criterion_id = $4
      OR (l.criterion_id IS NULL AND ($5 = '' OR l.tag = $5) AND ($6 = '' OR l.segment = $6)))`

const bytesStatement = `
  SELECT coalesce(sum(octet_length(messages) + octet_length(response) + coalesce(octet_length(tools), 0)), 0)::float8
    AS bytes
  FROM label_snapshot WHERE id = ANY($1::uuid[])`

interface GradeRow
  extends Pick<
    Row<'label'>,
    | 'id'
    | 'item_key'
    | 'label'
    | 'grader_id'
    | 'snapshot_id'
    | 'sampling_method'
    | 'sampling_probability'
    | 'sampling_stratum'
    | 'segment'
    | 'tag'
    | 'created_at'
  > {
  readonly is_own: boolean
}

export type GradeReader = ReturnType<typeof createPgGrades>

export function createPgGrades(pool: Pool) {
  return {
    /**
     * Grades for a criterion, and of whole exchanges of its population, that were in force at a moment. A later call with
     * the same moment gives the same grades.
     */
    async inForce(criterion: StoredCriterion, asOf: Date): Promise<readonly GradeInForce[]> {
      const { workspaceId, id, unit, population, populationFamily } = criterion
      const values = [workspaceId, unit, asOf, id, population, populationFamily]
      const { rows } = await pool.query<GradeRow>(inForceStatement, values)
      return rows.map(gradeOf)
    },
    /** Size of the snapshots, bytes. */
    async contentBytes(snapshotIds: readonly string[]): Promise<number> {
      const { rows } = await pool.query<{ bytes: number }>(bytesStatement, [snapshotIds])
      return rows[0]?.bytes ?? 0
    },
  }
}

function gradeOf(row: GradeRow): GradeInForce {
  return {
    labelId: row.id,
    itemKey: row.item_key,
    verdict: row.label,
    graderId: row.grader_id,
    isOwn: row.is_own,
    snapshotId: row.snapshot_id,
    samplingMethod: row.sampling_method,
    samplingProbability: row.sampling_probability,
    stratum: row.sampling_stratum,
    segment: row.segment,
    tag: row.tag,
    createdAt: row.created_at,
  }
}
