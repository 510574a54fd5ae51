import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { GradeInForce, GradeReader } from '../calibration/graded-items.ts'

/** A grade was in force from when it was given until another one took its place. */
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

interface GradeRow {
  readonly id: string
  readonly item_key: string
  readonly label: Verdict
  readonly grader_id: string
  readonly is_own: boolean
  readonly snapshot_id: string
  readonly sampling_method: string | null
  readonly sampling_probability: number | null
  readonly sampling_stratum: string | null
  readonly segment: string
  readonly tag: string | null
  readonly created_at: Date
}

/** Grades, read for calibrations. */
export function createPgGrades(pool: Pool): GradeReader {
  return {
    async inForce({ workspaceId, id, unit, population, populationFamily }, asOf) {
      const values = [workspaceId, unit, asOf, id, population, populationFamily]
      const { rows } = await pool.query<GradeRow>(inForceStatement, values)
      return rows.map(gradeOf)
    },
    async contentBytes(snapshotIds) {
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
