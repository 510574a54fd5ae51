import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { BatchItem } from './compose-batch.ts'
import { readBatchFacts } from './pg-batch-facts.ts'
import type { Grader, ItemKind } from './round.ts'

export interface ClaimedItem extends BatchItem {
  readonly id: string
  /** Of a run. */
  readonly traceId: string | null
}

export interface Claim {
  readonly id: string
  readonly batch: number
  readonly leasedUntil: Date
  readonly revealedAt: Date | null
  /** Those without a grade, in the order in which they are shown. */
  readonly items: readonly ClaimedItem[]
}

/** What a new batch is composed from. */
export type StoredBatchFacts = Awaited<ReturnType<typeof readBatchFacts>>

export interface NewClaim {
  readonly id: string
  readonly at: Date
  readonly leasedUntil: Date
  readonly itemId: () => string
  readonly compose: (facts: StoredBatchFacts) => ComposedBatch
}

export interface ComposedBatch {
  readonly items: readonly BatchItem[]
  /** Log UUIDs of the frame that the random order has reached with these items. */
  readonly reached: readonly string[]
}

export type ClaimStore = ReturnType<typeof createPgClaims>

export function createPgClaims(pool: Pool) {
  return {
    /** A batch of the person whose lease is alive, that has items to grade and that the browser does not have. */
    async unfinished(grader: Grader, holding: readonly string[], lease: Lease): Promise<Claim | null> {
      const { rows } = await pool.query<ClaimRow>(unfinishedStatement, [
        ...keyOf(grader),
        holding,
        lease.at,
        lease.until,
      ])
      return rows[0] === undefined
        ? null
        : claimOf(rows[0], await openItems(pool, grader.round.workspaceId, rows[0].id))
    },
    /** Takes a new batch, one at a time in each round; null when there is nothing left for the person. */
    take: (grader: Grader, claim: NewClaim): Promise<Claim | null> =>
      inTransaction(pool, (client) => take(client, grader, claim)),
    /** Renews leases that are alive; gives their ids. */
    /** Number of items without a grade in the batches that a person holds, of rounds that are not closed. */
    async waiting({ workspaceId, graderId }: WaitingPerson, at: Date): Promise<number> {
      const { rows } = await pool.query<{ items: number }>(waitingStatement, [workspaceId, graderId, at])
      return rows[0]?.items ?? 0
    },
    async renew(grader: Grader, ids: readonly string[], { at, until }: Lease): Promise<readonly string[]> {
      const text = `UPDATE review_claim SET leased_until = $5
        WHERE workspace_id = $1 AND round_id = $2 AND grader_id = $3 AND id = ANY($4::uuid[]) AND leased_until > $6
        RETURNING id`
      const { rows } = await pool.query<{ id: string }>(text, [...keyOf(grader), ids, until, at])
      return rows.map(({ id }) => id)
    },
  }
}

export interface Lease {
  readonly at: Date
  readonly until: Date
}

function keyOf({ round, graderId }: Grader): readonly unknown[] {
  return [round.workspaceId, round.id, graderId]
}

/** An item that left the log cannot be graded, and delays no batch. */
const isOpen = `NOT EXISTS (SELECT 1 FROM review_grade g WHERE g.item_id = i.id AND g.workspace_id = i.workspace_id)
  AND NOT EXISTS (SELECT 1 FROM grading_frame_item f WHERE f.frame_id = i.round_id AND f.log_id = i.log_id
    AND f.workspace_id = i.workspace_id AND f.missing_at IS NOT NULL)`

/** The lock makes two requests of one browser take different batches. */
const unfinishedStatement = `
  UPDATE review_claim SET leased_until = $6 WHERE workspace_id = $1 AND id = (
    SELECT c.id FROM review_claim c
    WHERE c.workspace_id = $1 AND c.round_id = $2 AND c.grader_id = $3 AND c.id <> ALL($4::uuid[]) AND c.leased_until > $5
      AND EXISTS (SELECT 1 FROM review_item i WHERE i.claim_id = c.id AND ${isOpen})
    ORDER BY c.batch LIMIT 1) RETURNING *`

interface WaitingPerson {
  readonly workspaceId: string
  readonly graderId: string
}

const waitingStatement = `
  SELECT count(*)::int AS items FROM review_claim c
  JOIN review_round r ON r.workspace_id = $1 AND r.id = c.round_id AND r.closed_at IS NULL
  JOIN review_item i ON i.workspace_id = $1 AND i.claim_id = c.id
  WHERE c.workspace_id = $1 AND c.grader_id = $2 AND c.leased_until > $3 AND ${isOpen}`

type ClaimRow = Row<'reviewClaim'>
type ItemRow = Row<'reviewItem', { kind: ItemKind }> & Pick<Row<'gradingFrameItem'>, 'trace_id'>

const openItemsStatement = `
  SELECT i.*, f.trace_id FROM review_item i
  LEFT JOIN grading_frame_item f ON f.workspace_id = $1 AND f.frame_id = i.round_id AND f.log_id = i.log_id
  WHERE i.workspace_id = $1 AND i.claim_id = $2 AND ${isOpen} ORDER BY i.place`

async function openItems(connection: Pick<Pool, 'query'>, workspaceId: string, claimId: string) {
  return (await connection.query<ItemRow>(openItemsStatement, [workspaceId, claimId])).rows.map(itemOf)
}

function itemOf(row: ItemRow): ClaimedItem {
  const { id, kind, log_id: logId, trace_id: traceId, stratum, label_id: labelId } = row
  return { id, kind, logId, traceId, stratum, labelId }
}

function claimOf(row: ClaimRow, items: readonly ClaimedItem[]): Claim {
  return { id: row.id, batch: row.batch, leasedUntil: row.leased_until, revealedAt: row.revealed_at, items }
}

async function take(client: PoolClient, grader: Grader, claim: NewClaim): Promise<Claim | null> {
  const { round, graderId } = grader
  const { workspaceId, id: roundId } = round
  await client.query('SELECT 1 FROM review_round WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    workspaceId,
    roundId,
  ])
  const { items, reached } = claim.compose(await readBatchFacts(client, grader, claim.at))
  if (items.length === 0) return null
  const { rows } = await client.query<ClaimRow>(
    `INSERT INTO review_claim (id, workspace_id, round_id, grader_id, batch, created_at, leased_until)
     SELECT $1, $2, $3, $4, coalesce(max(batch), 0) + 1, $5, $6
     FROM review_claim WHERE workspace_id = $2 AND round_id = $3 AND grader_id = $4 RETURNING *`,
    [claim.id, workspaceId, roundId, graderId, claim.at, claim.leasedUntil],
  )
  const [row] = rows
  if (row === undefined) throw new Error('the batch was added')
  const claimed = items.map((item) => ({ ...item, id: claim.itemId() }))
  await client.query(insertItems, [
    workspaceId,
    roundId,
    claim.id,
    graderId,
    claimed.map(({ id }) => id),
    claimed.map(({ kind }) => kind),
    claimed.map(({ logId }) => logId),
    claimed.map(({ stratum }) => stratum),
    claimed.map(({ labelId }) => labelId),
  ])
  await client.query(
    `UPDATE grading_frame_item SET offered_at = $4
     WHERE workspace_id = $1 AND frame_id = $2 AND log_id = ANY($3::uuid[]) AND offered_at IS NULL`,
    [workspaceId, roundId, reached, claim.at],
  )
  return claimOf(row, await openItems(client, workspaceId, claim.id))
}

const insertItems = `
  INSERT INTO review_item (workspace_id, round_id, claim_id, grader_id, id, kind, log_id, stratum, label_id, place)
  SELECT $1, $2, $3, $4, item.* FROM unnest($5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::uuid[])
    WITH ORDINALITY AS item(id, kind, log_id, stratum, label_id, place)`
