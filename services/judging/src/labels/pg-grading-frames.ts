import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { GradeKey } from '../judgements/verdict-reads.ts'
import type { FrameItem, FrameKind, GradingFrame } from './grading-frame.ts'
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
  readonly items: readonly Pick<FrameItem, 'logId' | 'stratum'>[]
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
    /** Exchanges that were offered for a judge, by log UUID; a random draw comes before others, then the newest. */
    async offered(
      { workspaceId, criterionId }: GradeKey,
      logIds: readonly string[],
    ): Promise<ReadonlyMap<string, OfferedItem>> {
      const { rows } = await pool.query<OfferedRow>(offeredStatement, [criterionId, logIds, workspaceId])
      return new Map(rows.map((row) => [row.log_id, offeredOf(row)]))
    },
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
      `INSERT INTO grading_frame_item (frame_id, workspace_id, log_id, stratum)
       SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`,
      [id, workspaceId, frame.items.map(({ logId }) => logId), frame.items.map(({ stratum }) => stratum)],
    )
    return true
  })
}

interface ItemRow extends Pick<Row<'gradingFrameItem'>, 'log_id' | 'stratum'> {
  readonly offered: boolean
  readonly graded: boolean
}

/** An exchange with any grade need not be offered again: once the random order reaches it, its grade counts for the frame. */
const itemsStatement = `
  SELECT i.log_id, i.stratum, i.offered_at IS NOT NULL AS offered,
    EXISTS (SELECT 1 FROM label l WHERE l.workspace_id = $1 AND l.log_id = i.log_id
      AND (l.criterion_id = $2 OR l.criterion_id IS NULL) AND l.superseded_by IS NULL) AS graded
  FROM grading_frame_item i WHERE i.workspace_id = $1 AND i.frame_id = $3 AND i.missing_at IS NULL`

async function items(pool: Pool, key: GradeKey, frameId: string): Promise<readonly FrameItem[]> {
  const { workspaceId, criterionId } = key
  const { rows } = await pool.query<ItemRow>(itemsStatement, [workspaceId, criterionId, frameId])
  const graded = rows.filter((row) => row.graded).map(({ log_id: logId }) => logId)
  const humans: ReadonlyMap<string, Verdict> =
    graded.length === 0
      ? new Map()
      : await majorityGrades(pool, { ...key, unit: 'request', itemIds: graded, onlyRandom: false })
  return rows.map((row) => ({
    logId: row.log_id,
    stratum: row.stratum,
    isOffered: row.offered,
    isGraded: row.graded,
    human: humans.get(row.log_id) ?? null,
  }))
}

const offeredStatement = `
  SELECT DISTINCT ON (i.log_id) i.log_id, i.frame_id, f.kind, i.stratum,
    (SELECT (count(*) FILTER (WHERE o.offered_at IS NOT NULL))::float8 / count(*) FROM grading_frame_item o
     WHERE o.workspace_id = $3 AND o.frame_id = i.frame_id AND o.stratum = i.stratum) AS probability
  FROM grading_frame_item i JOIN grading_frame f ON f.id = i.frame_id
  WHERE f.workspace_id = $3 AND i.workspace_id = $3 AND f.criterion_id = $1 AND i.log_id = ANY($2::uuid[]) AND i.offered_at IS NOT NULL
  ORDER BY i.log_id, f.kind DESC, f.created_at DESC`

interface OfferedRow extends Pick<Row<'gradingFrameItem'>, 'log_id' | 'frame_id' | 'stratum'> {
  readonly kind: FrameKind
  readonly probability: number
}

function offeredOf({ frame_id: frameId, kind, stratum, probability }: OfferedRow): OfferedItem {
  return { frameId, kind, stratum, probability }
}
