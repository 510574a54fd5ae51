import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { GradeKey } from '../judgements/verdict-reads.ts'
import { type FrameKind, type GradingFrame, runKeyPrefix, type StoredFrameItem } from './grading-frame.ts'
import { isOfRound } from './of-round.ts'
import { majorityGrades } from './pg-majority-grades.ts'

export type GradingFrameStore = ReturnType<typeof createPgGradingFrames>

export interface FrameSearch extends GradeKey {
  readonly kind: FrameKind
  readonly instrument: number
}

export interface FrameKey {
  readonly workspaceId: string
  readonly frameId: string
}

export interface NewFrame extends GradingFrame, FrameSearch {
  readonly items: readonly Pick<StoredFrameItem, 'logId' | 'traceId' | 'stratum'>[]
}

/** How an exchange was offered for grading. */
export interface OfferedItem {
  readonly frameId: string
  readonly kind: FrameKind
  readonly stratum: string
  /** Share of the stratum that was offered. */
  readonly probability: number
}

export function createPgGradingFrames(pool: Pool) {
  return {
    /** The newest frame of an instrument, and the highest ordinal of the kind. */
    async newest({ workspaceId, criterionId, kind, instrument }: FrameSearch) {
      const text = `SELECT id, kind, ordinal, instrument, created_at FROM grading_frame
        WHERE criterion_id = $1 AND kind = $2 AND workspace_id = $3 ORDER BY ordinal DESC LIMIT 1`
      const { rows } = await pool.query<FrameRow>(text, [criterionId, kind, workspaceId])
      const [row] = rows
      if (row === undefined) return { frame: null, ordinal: 0 }
      return { frame: row.instrument === instrument ? frameOf(row, kind) : null, ordinal: row.ordinal }
    },
    /** False when another process added a frame with this ordinal. */
    add: (frame: NewFrame) => add(pool, frame),
    async has({ workspaceId, frameId }: FrameKey): Promise<boolean> {
      const text = 'SELECT 1 FROM grading_frame WHERE workspace_id = $1 AND id = $2'
      return (await pool.query(text, [workspaceId, frameId])).rows.length > 0
    },
    /** Exchanges of a frame that are not known to be missing. */
    items: (key: GradeKey, frameId: string) => items(pool, key, frameId),
    async markOffered({ workspaceId, frameId }: FrameKey, logIds: readonly string[], at: Date): Promise<void> {
      const text = `UPDATE grading_frame_item SET offered_at = $3
        WHERE frame_id = $1 AND log_id = ANY($2::uuid[]) AND workspace_id = $4 AND offered_at IS NULL`
      await pool.query(text, [frameId, logIds, at, workspaceId])
    },
    async markMissing({ workspaceId, frameId }: FrameKey, logIds: readonly string[], at: Date): Promise<void> {
      const text = `UPDATE grading_frame_item SET missing_at = $3
        WHERE frame_id = $1 AND log_id = ANY($2::uuid[]) AND workspace_id = $4`
      await pool.query(text, [frameId, logIds, at, workspaceId])
    },
    /** Exchanges that were offered for a judge, by log UUID; a random draw comes before others, then the newest. Rounds have grades of their own. */
    async offered(
      { workspaceId, criterionId }: GradeKey,
      logIds: readonly string[],
    ): Promise<ReadonlyMap<string, OfferedItem>> {
      const { rows } = await pool.query<OfferedRow>(offeredStatement, [criterionId, logIds, workspaceId])
      return new Map(rows.map((row) => [row.log_id, offeredOf(row)]))
    },
    /** Probabilities with which rounds gave out exchanges that a person graded in the round, by log UUID. */
    gradedInRounds: (key: GradeKey, logIds: readonly string[]) =>
      readRoundDraws(pool, key, { logIds, mayLackGrade: false }),
    /** The same of exchanges whether a person graded them or not. */
    offeredInRounds: (key: GradeKey, logIds: readonly string[]) =>
      readRoundDraws(pool, key, { logIds, mayLackGrade: true }),
  }
}

interface FrameRow extends Pick<Row<'gradingFrame'>, 'id' | 'ordinal' | 'instrument' | 'created_at'> {}

function frameOf({ id, ordinal, created_at: createdAt }: FrameRow, kind: FrameKind): GradingFrame {
  return { id, kind, ordinal, createdAt }
}

async function add(pool: Pool, frame: NewFrame): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { id, workspaceId, criterionId, kind, instrument, ordinal, createdAt } = frame
    const { rowCount } = await client.query(
      `INSERT INTO grading_frame (id, workspace_id, criterion_id, kind, instrument, ordinal, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (criterion_id, kind, ordinal) DO NOTHING`,
      [id, workspaceId, criterionId, kind, instrument, ordinal, createdAt],
    )
    if (rowCount === 0) return false
    await client.query(
      `INSERT INTO grading_frame_item (frame_id, workspace_id, log_id, trace_id, stratum)
       SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`,
      [
        id,
        workspaceId,
        frame.items.map(({ logId }) => logId),
        frame.items.map(({ traceId }) => traceId),
        frame.items.map(({ stratum }) => stratum),
      ],
    )
    return true
  })
}

interface ItemRow extends Pick<Row<'gradingFrameItem'>, 'log_id' | 'trace_id' | 'stratum'> {
  readonly offered: boolean
  readonly graded: boolean
}

/** An exchange with any grade need not be offered again: once the random order reaches it, its grade counts for the frame. */
const itemsStatement = `
  SELECT i.log_id, i.trace_id, i.stratum, i.offered_at IS NOT NULL AS offered,
    CASE WHEN i.trace_id IS NULL THEN EXISTS (SELECT 1 FROM label l WHERE l.workspace_id = $1 AND l.log_id = i.log_id
      AND (l.criterion_id = $2 OR l.criterion_id IS NULL) AND l.superseded_by IS NULL)
    ELSE EXISTS (SELECT 1 FROM label l WHERE l.workspace_id = $1 AND l.trace_id = i.trace_id AND l.unit = 'trace'
      AND (l.criterion_id = $2 OR l.criterion_id IS NULL) AND l.superseded_by IS NULL) END AS graded
  FROM grading_frame_item i WHERE i.workspace_id = $1 AND i.frame_id = $3 AND i.missing_at IS NULL`

async function items(pool: Pool, key: GradeKey, frameId: string): Promise<readonly StoredFrameItem[]> {
  const { workspaceId, criterionId } = key
  const { rows } = await pool.query<ItemRow>(itemsStatement, [workspaceId, criterionId, frameId])
  const itemIdOf = (row: ItemRow) => row.trace_id ?? row.log_id
  const graded = rows.filter((row) => row.graded)
  // All items of a frame are of one unit.
  const unit = graded.some(({ trace_id: traceId }) => traceId !== null) ? 'trace' : 'request'
  const humans: ReadonlyMap<string, Verdict> =
    graded.length === 0
      ? new Map()
      : await majorityGrades(pool, { ...key, unit, itemIds: graded.map(itemIdOf), onlyRandom: false })
  return rows.map((row) => ({
    logId: row.log_id,
    traceId: row.trace_id,
    stratum: row.stratum,
    isOffered: row.offered,
    isGraded: row.graded,
    human: humans.get(itemIdOf(row)) ?? null,
  }))
}

/** Share of the stratum of an item `i` that was offered until now. */
const offeredShare = `(SELECT (count(*) FILTER (WHERE o.offered_at IS NOT NULL))::float8 / count(*) FROM grading_frame_item o
     WHERE o.workspace_id = $3 AND o.frame_id = i.frame_id AND o.stratum = i.stratum)`

const offeredStatement = `
  SELECT DISTINCT ON (i.log_id) i.log_id, i.frame_id, f.kind, i.stratum, ${offeredShare} AS probability
  FROM grading_frame_item i JOIN grading_frame f ON f.id = i.frame_id
  WHERE f.workspace_id = $3 AND i.workspace_id = $3 AND f.criterion_id = $1 AND i.log_id = ANY($2::uuid[]) AND i.offered_at IS NOT NULL
    AND f.kind <> 'round'
  ORDER BY i.log_id, f.kind DESC, f.created_at DESC`

/** SQL: the key of the grades of a row of `grading_frame_item`. */
export function itemKeyOf(item: string): string {
  return `coalesce('${runKeyPrefix}' || ${item}.trace_id, ${item}.log_id::text)`
}

const roundsStatement = `
  SELECT i.log_id, max(${offeredShare}) AS probability
  FROM grading_frame_item i JOIN grading_frame f ON f.id = i.frame_id
  WHERE f.workspace_id = $3 AND i.workspace_id = $3 AND f.criterion_id = $1 AND i.log_id = ANY($2::uuid[])
    AND i.offered_at IS NOT NULL AND f.kind = 'round' AND ($4 OR EXISTS (
      SELECT 1 FROM label l WHERE l.workspace_id = $3 AND l.criterion_id = $1 AND l.item_key = ${itemKeyOf('i')} AND ${isOfRound('l')}
        AND l.sampling_stratum = f.id || '/' || i.stratum))
  GROUP BY i.log_id`

interface RoundDrawRow {
  readonly log_id: string
  readonly probability: number
}

interface OfferedRow extends Pick<Row<'gradingFrameItem'>, 'log_id' | 'frame_id' | 'stratum'> {
  readonly kind: FrameKind
  readonly probability: number
}

interface AskedRounds {
  readonly logIds: readonly string[]
  readonly mayLackGrade: boolean
}

async function readRoundDraws(
  pool: Pool,
  { workspaceId, criterionId }: GradeKey,
  { logIds, mayLackGrade }: AskedRounds,
): Promise<ReadonlyMap<string, number>> {
  if (logIds.length === 0) return new Map()
  const values = [criterionId, logIds, workspaceId, mayLackGrade]
  const { rows } = await pool.query<RoundDrawRow>(roundsStatement, values)
  return new Map(rows.map(({ log_id: logId, probability }) => [logId, probability]))
}

function offeredOf({ frame_id: frameId, kind, stratum, probability }: OfferedRow): OfferedItem {
  return { frameId, kind, stratum, probability }
}
