import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { RoundKey } from './pg-rounds.ts'
import type { Answer, Grader, ItemKind } from './round.ts'

export interface RevealedRow {
  readonly id: string
  readonly logId: string | null
  /** Of a run. */
  readonly traceId: string | null
  readonly kind: ItemKind
  readonly answer: Answer
  readonly stratum: string | null
  readonly explanation: string | null
  /** What the earlier grade said, for items that measure the grader. */
  readonly known: Verdict | null
}

export type BatchReads = ReturnType<typeof createPgBatches>

export function createPgBatches(pool: Pool) {
  return {
    /**
     * Marks the verdicts of a batch as read, from when its grades are not blind. `open` when an item has no grade yet, null
     * for an unknown batch.
     */
    async reveal({ round, graderId }: Grader, batch: number, at: Date): Promise<string | 'open' | null> {
      const key = [round.workspaceId, round.id, graderId, batch]
      const { rows } = await pool.query<{ id: string; complete: boolean }>(findStatement, key)
      const [claim] = rows
      if (claim === undefined) return null
      if (!claim.complete) return 'open'
      const text = `UPDATE review_claim SET revealed_at = coalesce(revealed_at, $3) WHERE workspace_id = $1 AND id = $2`
      await pool.query(text, [round.workspaceId, claim.id, at])
      return claim.id
    },
    /** The items of a batch that was revealed, in the order in which they were shown. */
    async items({ round }: Grader, claimId: string): Promise<readonly RevealedRow[]> {
      const values = [round.workspaceId, claimId, round.id, round.criterionId]
      const { rows } = await pool.query<ItemRow>(itemsStatement, values)
      return rows.map(revealedOf)
    },
    /** Grades of batches that somebody has not completed. Nothing that is shown depends on them. */
    async hiddenLabels({ workspaceId, id }: RoundKey, at: Date): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<{ label_id: string }>(hiddenStatement, [workspaceId, id, at])
      return new Set(rows.map(({ label_id: labelId }) => labelId))
    },
    /** Rows of each stratum, and how many of them were given out in complete batches. */
    async strata({ workspaceId, id }: RoundKey, at: Date): Promise<readonly StrataRow[]> {
      return (await pool.query<StrataRow>(strataStatement, [workspaceId, id, at])).rows
    },
  }
}

/**
 * Common table expressions of a round ($1 workspace, $2 round): `graded` items, and `open` batches, which have an item without
 * a grade that is still in the log. They are sets and no joins, because the planner can take a new round for a single row,
 * and would then search it once for each of its rows.
 */
const openBatches = `
  graded AS MATERIALIZED (SELECT item_id FROM review_grade WHERE workspace_id = $1 AND round_id = $2),
  missing AS MATERIALIZED (
    SELECT log_id FROM grading_frame_item WHERE workspace_id = $1 AND frame_id = $2 AND missing_at IS NOT NULL),
  open AS MATERIALIZED (
    SELECT claim_id FROM review_item WHERE workspace_id = $1 AND round_id = $2
      AND id NOT IN (SELECT item_id FROM graded)
      AND (log_id IS NULL OR log_id NOT IN (SELECT log_id FROM missing)))`

const findStatement = `
  WITH ${openBatches}
  SELECT id, id NOT IN (SELECT claim_id FROM open) AS complete FROM review_claim
  WHERE workspace_id = $1 AND round_id = $2 AND grader_id = $3 AND batch = $4`

const itemsStatement = `
  SELECT i.id, i.log_id, f.trace_id, i.kind, i.stratum, last.label AS answer, j.explanation,
    CASE WHEN i.kind IN ('again', 'known') THEN l.label END AS known
  FROM review_item i
  JOIN LATERAL (SELECT label FROM review_grade g WHERE g.workspace_id = $1 AND g.item_id = i.id
    ORDER BY g.position DESC LIMIT 1) last ON true
  LEFT JOIN grading_frame_item f ON f.workspace_id = $1 AND f.frame_id = $3 AND f.log_id = i.log_id
  LEFT JOIN judgement j ON j.run_id = $3 AND j.criterion_id = $4 AND j.workspace_id = $1
    AND CASE WHEN f.trace_id IS NULL THEN j.log_id = i.log_id ELSE j.trace_id = f.trace_id END
  LEFT JOIN label l ON l.id = i.label_id AND l.workspace_id = $1
  WHERE i.workspace_id = $1 AND i.claim_id = $2 ORDER BY i.place`

interface ItemRow extends Pick<Row<'reviewItem', { kind: ItemKind }>, 'id' | 'log_id' | 'kind' | 'stratum'> {
  readonly trace_id: string | null
  readonly answer: Answer
  readonly explanation: string | null
  readonly known: Verdict | null
}

function revealedOf(row: ItemRow): RevealedRow {
  const { id, log_id: logId, trace_id: traceId, kind, stratum, answer, explanation, known } = row
  return { id, logId, traceId, kind, stratum, answer, explanation, known }
}

/** A batch whose person went away is as complete as it gets. */
const hiddenStatement = `
  WITH ${openBatches},
  held AS MATERIALIZED (
    SELECT id FROM review_item WHERE workspace_id = $1 AND round_id = $2 AND (claim_id IN (
      SELECT c.id FROM review_claim c WHERE c.workspace_id = $1 AND c.round_id = $2 AND c.leased_until > $3
        AND (c.id IN (SELECT claim_id FROM open)) IS TRUE)) IS TRUE)
  SELECT label_id FROM review_grade WHERE workspace_id = $1 AND round_id = $2 AND label_id IS NOT NULL
    AND (item_id IN (SELECT id FROM held)) IS TRUE`

/** A stratum of a round. */
export interface StrataRow {
  readonly stratum: string
  readonly rows: number
  readonly taken: number
}

const strataStatement = `
  WITH ${openBatches},
  complete AS MATERIALIZED (
    SELECT id FROM review_claim WHERE workspace_id = $1 AND round_id = $2
      AND (leased_until <= $3 OR id NOT IN (SELECT claim_id FROM open))),
  taken AS MATERIALIZED (
    SELECT log_id FROM review_item WHERE workspace_id = $1 AND round_id = $2 AND kind = 'new'
      AND (id IN (SELECT item_id FROM graded)) IS TRUE AND (claim_id IN (SELECT id FROM complete)) IS TRUE)
  SELECT stratum, count(*)::int AS rows, (count(*) FILTER (WHERE log_id IN (SELECT log_id FROM taken)))::int AS taken
  FROM grading_frame_item WHERE workspace_id = $1 AND frame_id = $2 GROUP BY stratum ORDER BY stratum`
