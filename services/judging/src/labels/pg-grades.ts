import type { Pool } from '@ratchet/db/connect-pool'
import { readInPages } from '@ratchet/db/read-in-pages'
import type { Row } from '@ratchet/db/row'
import type { GradeInForce, GradeSampling } from '../calibration/graded-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { FrameKind } from './grading-frame.ts'
import { countsFor, isOfRound } from './of-round.ts'
import { idColumns } from './pg-majority-grades.ts'
import { readUnanswered } from './pg-unanswered.ts'

/**
 * A grade is in force from its creation until another one supersedes it. One of an exchange that was offered for grading
 * belongs to the frame, whatever it was sent with; one that was given in a round belongs to the round. Frames of random draws come first: they take exchanges from other frames
 * by chance alone, so what remains there is still a random part of each stratum.
 */
const inForceStatement = (unit: StoredCriterion['unit']) => `
  WITH sizes AS (
    SELECT f.id, f.kind, f.created_at, i.stratum, count(*)::int AS rows,
      (count(*) OVER (PARTITION BY f.id))::int AS strata
    FROM grading_frame f JOIN grading_frame_item i ON i.frame_id = f.id
    WHERE f.criterion_id = $4 AND f.created_at <= $3 GROUP BY f.id, i.stratum)
  SELECT l.id, l.item_key, l.label, l.grader_id, l.criterion_id IS NOT NULL AS is_own, l.snapshot_id,
    l.segment, l.tag, l.created_at,
    drawn.id AS frame_id, drawn.kind AS frame_kind, drawn.stratum AS frame_stratum, drawn.rows AS frame_rows,
    drawn.strata AS frame_strata, round.id AS round_id, round.stratum AS round_stratum, round.rows AS round_rows,
    round.strata AS round_strata
  FROM label l
  LEFT JOIN LATERAL (
    SELECT s.* FROM grading_frame_item i JOIN sizes s ON s.id = i.frame_id AND s.stratum = i.stratum
    WHERE i.${idColumns[unit]} = l.${idColumns[unit]} AND i.offered_at <= $3 AND s.kind <> 'round'
    ORDER BY s.kind DESC, s.created_at DESC LIMIT 1) drawn ON true
  LEFT JOIN LATERAL (
    SELECT s.* FROM grading_frame_item i JOIN sizes s ON s.id = i.frame_id AND s.stratum = i.stratum
    WHERE ${isOfRound('l')} AND i.${idColumns[unit]} = l.${idColumns[unit]} AND i.offered_at <= $3 AND s.kind = 'round'
      AND l.sampling_stratum = s.id || '/' || s.stratum LIMIT 1) round ON true
  WHERE l.workspace_id = $1 AND l.unit = $2 AND l.created_at <= $3
    AND ${countsFor('l', { criterionId: '$4', asOf: '$3' })}
    AND (l.criterion_id = $4
      OR (l.criterion_id IS NULL AND ($5 = '' OR l.tag = $5) AND ($6 = '' OR l.segment = $6)))`

const bytesStatement = `
  SELECT coalesce(sum(octet_length(messages) + octet_length(response) + coalesce(octet_length(tools), 0)), 0)::float8
    AS bytes
  FROM label_snapshot WHERE id = ANY($1::uuid[])`

interface FrameColumns {
  readonly frame_id: string
  readonly frame_kind: FrameKind
  readonly frame_stratum: string
  readonly frame_rows: number
  readonly frame_strata: number
}

type NoFrame = { readonly [Column in keyof FrameColumns]: null }

interface LabelColumns
  extends Pick<
    Row<'label'>,
    'id' | 'item_key' | 'label' | 'grader_id' | 'snapshot_id' | 'segment' | 'tag' | 'created_at'
  > {
  readonly is_own: boolean
}

interface RoundColumns {
  readonly round_id: string
  readonly round_stratum: string
  readonly round_rows: number
  readonly round_strata: number
}

type NoRound = { readonly [Column in keyof RoundColumns]: null }

type GradeRow = LabelColumns & (FrameColumns | NoFrame) & (RoundColumns | NoRound)

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
      const grades: GradeInForce[] = []
      const shared = createShared()
      await readInPages<GradeRow>(pool, { text: inForceStatement(unit), values }, (rows) => {
        for (const row of rows) grades.push(gradeOf(row, shared))
      })
      return grades
    },
    /** What was offered for a criterion before something that has a grade, and had no grade at a moment. */
    unanswered: (criterion: StoredCriterion, asOf: Date) => readUnanswered(pool, criterion, asOf),
    /** Size of the snapshots, bytes. */
    async contentBytes(snapshotIds: readonly string[]): Promise<number> {
      const { rows } = await pool.query<{ bytes: number }>(bytesStatement, [snapshotIds])
      return rows[0]?.bytes ?? 0
    },
  }
}

/** Texts and draws that many grades have in common, each in memory once. */
function createShared() {
  const texts = new Map<string, string>()
  const samplings = new Map<string, GradeSampling>()
  const one = <T>(known: Map<string, T>, key: string, value: T): T => {
    const found = known.get(key)
    if (found === undefined) known.set(key, value)
    return found ?? value
  }
  return {
    text: (text: string) => one(texts, text, text),
    sampling: (sampling: GradeSampling) => one(samplings, JSON.stringify(sampling), sampling),
  }
}

function gradeOf(row: GradeRow, shared: ReturnType<typeof createShared>): GradeInForce {
  return {
    labelId: row.id,
    itemKey: shared.text(row.item_key),
    verdict: row.label,
    graderId: shared.text(row.grader_id),
    isOwn: row.is_own,
    snapshotId: shared.text(row.snapshot_id),
    sampling: shared.sampling(samplingOf(row)),
    segment: shared.text(row.segment),
    tag: row.tag === null ? null : shared.text(row.tag),
    createdAt: row.created_at,
  }
}

/**
 * A grade counts as drawn only where the draw of its item is on record: whoever may grade could call picked items random. A
 * random draw remains one, also in a later frame with strata.
 */
function samplingOf(row: GradeRow): GradeSampling {
  if (row.frame_kind === 'random') return { kind: 'random', frameId: row.frame_id }
  if (row.round_id !== null) {
    const { round_id: frameId, round_stratum: name, round_rows: rows, round_strata: strata } = row
    return { kind: 'frame', frameId, stratum: name, rows, strata }
  }
  if (row.frame_id === null) return { kind: 'picked' }
  const { frame_id: frameId, frame_stratum: name, frame_rows: rows, frame_strata: strata } = row
  return { kind: 'frame', frameId, stratum: name, rows, strata }
}
