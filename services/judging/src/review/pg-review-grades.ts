import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { stratumKey } from '../calibration/strata.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { NewLabel } from '../labels/label.ts'
import { addLabelsIn, lockLabels } from '../labels/pg-add-labels.ts'
import { type Answer, type ItemKind, leaseMs, roundMethod } from './round.ts'

/** An item that was given to a person. */
export interface GivenItem {
  readonly id: string
  readonly workspaceId: string
  readonly roundId: string
  readonly claimId: string
  readonly criterionId: string
  readonly graderId: string
  readonly kind: ItemKind
  readonly logId: string | null
  /** Of a run. */
  readonly traceId: string | null
  readonly unit: StoredCriterion['unit']
  readonly stratum: string | null
}

export interface ItemKey {
  readonly workspaceId: string
  readonly graderId: string
  readonly claimId: string
  readonly itemId: string
}

export interface NewReviewGrade {
  /** Chosen by the browser. */
  readonly id: string
  readonly item: GivenItem
  readonly answer: Answer
  /** Redacted. */
  readonly reasons: readonly string[]
  readonly rationale: string | null
  readonly shownMs: number
  /** Null for an exchange. */
  readonly seenAll: boolean | null
  readonly at: Date
  /** The grade of the judge, if this becomes one; its sampling is filled in. */
  readonly label: NewLabel | null
}

export interface StoredReviewGrade {
  readonly itemId: string
  readonly graderId: string
  readonly answer: Answer
  readonly isBlind: boolean
  readonly isBatchComplete: boolean
  /** Grows with every grade. */
  readonly version: number
}

export type ReviewGradeStore = ReturnType<typeof createPgReviewGrades>

export function createPgReviewGrades(pool: Pool) {
  return {
    /** Null for items of other people and workspaces. */
    async item({ workspaceId, graderId, claimId, itemId }: ItemKey): Promise<GivenItem | null> {
      const { rows } = await pool.query<ItemRow>(itemStatement, [workspaceId, itemId, claimId, graderId])
      return rows[0] === undefined ? null : itemOf(rows[0])
    },
    async get(workspaceId: string, id: string): Promise<StoredReviewGrade | null> {
      return storedGrade(pool, workspaceId, id)
    },
    /**
     * Adds a grade and, where it counts, the grade of the judge, in one transaction. One with a known id changes nothing.
     *
     * @throws ServiceError `quota_exceeded` when it does not fit into the storage quota of the workspace
     */
    add: (grade: NewReviewGrade): Promise<StoredReviewGrade> =>
      withinQuota(() => inTransaction(pool, (client) => add(client, grade))),
  }
}

const itemStatement = `
  SELECT i.*, r.criterion_id, c.unit, f.trace_id
  FROM review_item i JOIN review_round r ON r.id = i.round_id AND r.workspace_id = $1
  JOIN criterion c ON c.id = r.criterion_id AND c.workspace_id = $1
  LEFT JOIN grading_frame_item f ON f.workspace_id = $1 AND f.frame_id = i.round_id AND f.log_id = i.log_id
  WHERE i.workspace_id = $1 AND i.id = $2 AND i.claim_id = $3 AND i.grader_id = $4`

type ItemRow = Row<'reviewItem', { kind: ItemKind }> &
  Pick<Row<'reviewRound'>, 'criterion_id'> &
  Pick<Row<'criterion'>, 'unit'> &
  Pick<Row<'gradingFrameItem'>, 'trace_id'>

function itemOf(row: ItemRow): GivenItem {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    roundId: row.round_id,
    claimId: row.claim_id,
    criterionId: row.criterion_id,
    graderId: row.grader_id,
    kind: row.kind,
    logId: row.log_id,
    traceId: row.trace_id,
    unit: row.unit,
    stratum: row.stratum,
  }
}

const storedStatement = `
  SELECT g.item_id, g.grader_id, g.label, g.blind, g.position, NOT EXISTS (
    SELECT 1 FROM review_item other WHERE other.workspace_id = $1 AND other.claim_id = i.claim_id
      AND NOT EXISTS (SELECT 1 FROM review_grade o WHERE o.workspace_id = $1 AND o.item_id = other.id)
      AND NOT EXISTS (SELECT 1 FROM grading_frame_item f WHERE f.workspace_id = $1 AND f.frame_id = other.round_id
        AND f.log_id = other.log_id AND f.missing_at IS NOT NULL)) AS complete
  FROM review_grade g JOIN review_item i ON i.id = g.item_id AND i.workspace_id = $1
  WHERE g.workspace_id = $1 AND g.id = $2`

interface StoredRow extends Pick<Row<'reviewGrade', { label: Answer }>, 'item_id' | 'grader_id' | 'label' | 'blind'> {
  readonly position: string
  readonly complete: boolean
}

async function storedGrade(connection: Pick<Pool, 'query'>, workspaceId: string, id: string) {
  const { rows } = await connection.query<StoredRow>(storedStatement, [workspaceId, id])
  const [row] = rows
  if (row === undefined) return null
  const { item_id: itemId, grader_id: graderId, label: answer, blind: isBlind } = row
  return { itemId, graderId, answer, isBlind, isBatchComplete: row.complete, version: Number(row.position) }
}

async function add(client: PoolClient, grade: NewReviewGrade): Promise<StoredReviewGrade> {
  const { item, id } = grade
  const { workspaceId } = item
  await lockLabels(client, workspaceId)
  const known = await storedGrade(client, workspaceId, id)
  if (known !== null) return known
  const isBlind = await renewLease(client, grade)
  const label = isBlind ? await withSampling(client, grade) : null
  if (label !== null) await addLabelsIn(client, [label], { skipsKnown: false })
  await client.query(insertStatement, [
    workspaceId,
    id,
    item.roundId,
    item.id,
    item.graderId,
    grade.answer,
    grade.reasons,
    grade.rationale,
    grade.shownMs,
    grade.seenAll,
    isBlind,
    label?.id ?? null,
    grade.at,
  ])
  const stored = await storedGrade(client, workspaceId, id)
  if (stored === null) throw new Error('the grade was added')
  return stored
}

/** Whether the verdicts of the batch are still hidden. The row is locked, so they are not sent meanwhile. */
async function renewLease(client: PoolClient, { item, at }: NewReviewGrade): Promise<boolean> {
  const text = `UPDATE review_claim
    SET leased_until = CASE WHEN leased_until > $3 THEN greatest(leased_until, $4) ELSE leased_until END
    WHERE workspace_id = $1 AND id = $2 RETURNING revealed_at`
  const until = new Date(at.getTime() + leaseMs)
  const { rows } = await client.query<{ revealed_at: Date | null }>(text, [item.workspaceId, item.claimId, at, until])
  return rows[0]?.revealed_at === null
}

/** The share of the stratum that was given out until now. */
async function withSampling(client: PoolClient, { label, item }: NewReviewGrade): Promise<NewLabel | null> {
  if (label === null || item.stratum === null) return null
  const text = `SELECT (count(*) FILTER (WHERE offered_at IS NOT NULL))::float8 / count(*) AS probability
    FROM grading_frame_item WHERE workspace_id = $1 AND frame_id = $2 AND stratum = $3`
  const { rows } = await client.query<{ probability: number }>(text, [item.workspaceId, item.roundId, item.stratum])
  const sampling = {
    method: roundMethod,
    probability: rows[0]?.probability ?? 1,
    stratum: stratumKey(item.roundId, item.stratum),
  }
  return { ...label, sampling }
}

const insertStatement = `
  INSERT INTO review_grade (workspace_id, id, round_id, item_id, grader_id, label, reasons, rationale, shown_ms, seen_all,
    blind, label_id, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
