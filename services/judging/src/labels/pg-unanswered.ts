import type { Pool } from '@ratchet/db/connect-pool'
import type { GradeSampling, UnansweredItem } from '../calibration/graded-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { FrameKind } from './grading-frame.ts'
import { rankIn } from './grading-frames.ts'
import { isOfRound } from './of-round.ts'
import { itemKeyOf } from './pg-grading-frames.ts'
import { idColumns } from './pg-majority-grades.ts'
import { unansweredItems } from './unanswered-items.ts'

/** Sets that are read once each, because a frame has thousands of items. */
const setsOf = (unit: StoredCriterion['unit']) => `
  frames AS MATERIALIZED (
    SELECT id, kind FROM grading_frame WHERE workspace_id = $1 AND criterion_id = $4 AND created_at <= $3),
  sizes AS MATERIALIZED (
    SELECT i.frame_id, i.stratum, count(*)::int AS rows, (count(*) OVER (PARTITION BY i.frame_id))::int AS strata
    FROM frames f JOIN grading_frame_item i ON i.frame_id = f.id AND i.workspace_id = $1 GROUP BY i.frame_id, i.stratum),
  given AS MATERIALIZED (
    SELECT l.${idColumns[unit]} AS item FROM label l WHERE l.workspace_id = $1 AND l.unit = $2
      AND l.created_at <= $3 AND (l.criterion_id = $4 OR l.criterion_id IS NULL) AND l.${idColumns[unit]} IS NOT NULL),
  given_in_round AS MATERIALIZED (
    SELECT l.item_key, l.sampling_stratum FROM label l WHERE l.workspace_id = $1 AND l.criterion_id = $4
      AND l.created_at <= $3 AND ${isOfRound('l')} AND l.sampling_stratum IS NOT NULL),
  undecided AS MATERIALIZED (
    SELECT r.round_id, r.log_id FROM frames f JOIN review_item r ON r.round_id = f.id AND r.workspace_id = $1
      JOIN review_grade g ON g.item_id = r.id AND g.workspace_id = $1
    WHERE r.kind IN ('new', 'double') AND g.label = 'unsure' AND g.blind AND g.created_at <= $3
    GROUP BY r.round_id, r.log_id HAVING count(DISTINCT g.grader_id) >= 2),
  held AS MATERIALIZED (
    SELECT r.round_id, r.log_id FROM frames f JOIN review_item r ON r.round_id = f.id AND r.workspace_id = $1
      JOIN review_claim c ON c.id = r.claim_id AND c.workspace_id = $1
    WHERE c.leased_until > $3
      AND NOT EXISTS (SELECT 1 FROM review_grade g WHERE g.workspace_id = $1 AND g.item_id = r.id AND g.created_at <= $3))`

/** A grade of a round must be given in the round. Two people who cannot decide settle an item as one that nobody can decide. */
const isGraded = (unit: StoredCriterion['unit']) => `CASE WHEN f.kind = 'round'
    THEN (${itemKeyOf('i')}, f.id || '/' || i.stratum) IN (SELECT item_key, sampling_stratum FROM given_in_round)
      OR (f.id, i.log_id) IN (SELECT round_id, log_id FROM undecided)
    ELSE i.${idColumns[unit]} IN (SELECT item FROM given) END`

/** Whether a person holds the item in a batch and may grade it still, or it left the log before it was shown. */
const isWaiting = `(f.kind = 'round' AND (coalesce(i.missing_at <= $3, false)
    OR (f.id, i.log_id) IN (SELECT round_id, log_id FROM held)))`

const offeredStatement = (unit: StoredCriterion['unit']) => `
  WITH ${setsOf(unit)}
  SELECT f.id AS frame_id, f.kind, i.stratum, i.log_id, i.${idColumns[unit]} AS item_key, s.rows, s.strata,
    ${isGraded(unit)} AS graded
  FROM frames f JOIN grading_frame_item i ON i.frame_id = f.id AND i.workspace_id = $1
    JOIN sizes s ON s.frame_id = f.id AND s.stratum = i.stratum
  WHERE i.offered_at <= $3 AND NOT ${isWaiting}`

interface PlaceRow {
  readonly frame_id: string
  readonly kind: FrameKind
  readonly stratum: string
  readonly log_id: string
  readonly item_key: string
  readonly rows: number
  readonly strata: number
  readonly graded: boolean
}

/** Items that draws for a criterion offered before others that have a grade, and that have none at a moment. */
export async function readUnanswered(
  pool: Pool,
  { workspaceId, id, unit }: StoredCriterion,
  asOf: Date,
): Promise<readonly UnansweredItem[]> {
  const { rows } = await pool.query<PlaceRow>(offeredStatement(unit), [workspaceId, unit, asOf, id])
  const places = rows.map((row) => ({
    row,
    rank: rankIn(row.frame_id)(row.log_id),
    stratum: `${row.frame_id}/${row.stratum}`,
    isGraded: row.graded,
  }))
  const found = unansweredItems(places).map(({ row }) => ({ itemKey: row.item_key, sampling: samplingOf(row) }))
  // A random draw takes items from other frames by chance alone, so an item of both is missing there only.
  const random = new Set(found.filter(({ sampling }) => sampling.kind === 'random').map(({ itemKey }) => itemKey))
  return found.filter(({ itemKey, sampling }) => sampling.kind === 'random' || !random.has(itemKey))
}

function samplingOf({ kind, frame_id: frameId, stratum, rows, strata }: PlaceRow): GradeSampling {
  return kind === 'random' ? { kind, frameId } : { kind: 'frame', frameId, stratum, rows, strata }
}
