import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { NewRun } from '../runs/judge-run.ts'
import { insertRun } from '../runs/pg-runs.ts'
import type { Round, RoundRequest } from './round.ts'

export interface RoundKey {
  readonly workspaceId: string
  readonly id: string
}

export interface RoundFilter {
  readonly workspaceId: string
  readonly criterionId: string | null
  readonly limit: number
  readonly offset: number
}

/** Figures of a round that may be shown while people grade. */
export interface RoundFigures {
  readonly graded: number
  readonly unsure: number
  /** Runs that were graded without seeing their last step. */
  readonly notSeen: number
  readonly graders: readonly string[]
  readonly shownMs: number
  readonly frameRows: number
  readonly verdicts: {
    readonly total: number
    readonly done: number
    readonly costNano: bigint
    readonly waitingFor: string | null
  }
}

export type RoundStore = ReturnType<typeof createPgRounds>

export function createPgRounds(pool: Pool) {
  return {
    /** Adds a round with the run that buys its verdicts. */
    async start(run: NewRun, { challengerId, shares }: RoundRequest): Promise<void> {
      await inTransaction(pool, async (client) => {
        await insertRun(client, run)
        await client.query(startStatement, [
          run.id,
          run.workspaceId,
          run.criterionId,
          challengerId,
          shares.double,
          shares.again,
          shares.known,
          run.createdBy,
          run.createdAt,
        ])
      })
    },
    async get({ workspaceId, id }: RoundKey): Promise<Round | null> {
      const text = `${roundColumns} WHERE r.workspace_id = $1 AND r.id = $2`
      const { rows } = await pool.query<RoundRow>(text, [workspaceId, id])
      return rows[0] === undefined ? null : roundOf(rows[0])
    },
    /** Newest first. */
    async list({ workspaceId, criterionId, limit, offset }: RoundFilter) {
      const where = 'r.workspace_id = $1 AND ($2::uuid IS NULL OR r.criterion_id = $2)'
      const key = [workspaceId, criterionId]
      const counted = await pool.query<{ total: number }>(
        `SELECT count(*)::int AS total FROM review_round r WHERE ${where}`,
        key,
      )
      const page = `${roundColumns} WHERE ${where} ORDER BY r.created_at DESC, r.id DESC LIMIT $3 OFFSET $4`
      const { rows } = await pool.query<RoundRow>(page, [...key, limit, offset])
      return { total: counted.rows[0]?.total ?? 0, rounds: rows.map(roundOf) }
    },
    /** Closing twice changes nothing. */
    async close({ workspaceId, id }: RoundKey, { by, at }: { readonly by: string; readonly at: Date }): Promise<void> {
      const text = `UPDATE review_round SET closed_at = $3, closed_by = $4
        WHERE workspace_id = $1 AND id = $2 AND closed_at IS NULL`
      await pool.query(text, [workspaceId, id, at, by])
    },
    /** By round, for all the ids. */
    async figures(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, RoundFigures>> {
      const { rows } = await pool.query<FiguresRow>(figuresStatement, [workspaceId, ids])
      return new Map(rows.map((row) => [row.id, figuresOf(row)]))
    },
  }
}

const startStatement = `
  INSERT INTO review_round (id, workspace_id, criterion_id, challenger_id, double_percent, again_percent, known_percent,
    created_by, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

const roundColumns = `
  SELECT r.*, c.unit, run.status, run.error, run.rows_total, run.result
  FROM review_round r JOIN judge_run run ON run.id = r.id AND run.workspace_id = r.workspace_id
  JOIN criterion c ON c.id = r.criterion_id AND c.workspace_id = r.workspace_id`

type RoundRow = Row<'reviewRound'> &
  Pick<Row<'criterion'>, 'unit'> &
  Pick<Row<'judgeRun'>, 'status' | 'error' | 'rows_total' | 'result'>

function roundOf(row: RoundRow): Round {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    criterionId: row.criterion_id,
    challengerId: row.challenger_id,
    unit: row.unit,
    shares: { double: row.double_percent, again: row.again_percent, known: row.known_percent },
    createdBy: row.created_by,
    createdAt: row.created_at,
    closedAt: row.closed_at,
    run: {
      status: row.status,
      error: row.error,
      rowsTotal: row.rows_total,
      result: row.result === null ? null : JSON.parse(row.result),
    },
  }
}

/** A time beyond this is a break, not work. */
const maxShownMs = 180_000

const figuresStatement = `
  SELECT r.id, coalesce(g.graded, 0) AS graded, coalesce(g.unsure, 0) AS unsure,
    coalesce(g.not_seen, 0) AS not_seen, coalesce(g.graders, '{}') AS graders,
    coalesce(g.shown_ms, 0) AS shown_ms, f.rows AS frame_rows, j.total, j.done, j.cost_nano, j.waiting_for
  FROM unnest($2::uuid[]) AS r(id)
  LEFT JOIN LATERAL (
    SELECT count(DISTINCT i.log_id) FILTER (WHERE last.label <> 'unsure')::int AS graded,
      count(DISTINCT i.id) FILTER (WHERE last.label = 'unsure')::int AS unsure,
      count(DISTINCT i.log_id) FILTER (WHERE NOT last.seen_all)::int AS not_seen,
      array_agg(DISTINCT i.grader_id::text) AS graders, sum(least(last.shown_ms, ${maxShownMs}))::float8 AS shown_ms
    FROM review_item i JOIN LATERAL (
      SELECT label, shown_ms, seen_all FROM review_grade WHERE item_id = i.id AND workspace_id = $1
      ORDER BY position DESC LIMIT 1) last ON true
    WHERE i.round_id = r.id AND i.workspace_id = $1) g ON true
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS rows FROM grading_frame_item WHERE frame_id = r.id AND workspace_id = $1) f
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS total, count(*) FILTER (WHERE state IN ('done', 'poisoned'))::int AS done,
      coalesce(sum(cost_nano), 0)::text AS cost_nano,
      (array_agg(last_error ORDER BY due_at DESC) FILTER (WHERE state = 'pending' AND last_error IS NOT NULL))[1] AS waiting_for
    FROM judgement WHERE run_id = r.id AND workspace_id = $1) j`

interface FiguresRow {
  readonly id: string
  readonly graded: number
  readonly unsure: number
  readonly not_seen: number
  readonly graders: string[]
  readonly shown_ms: number
  readonly frame_rows: number
  readonly total: number
  readonly done: number
  readonly cost_nano: string
  readonly waiting_for: string | null
}

function figuresOf(row: FiguresRow): RoundFigures {
  return {
    graded: row.graded,
    unsure: row.unsure,
    notSeen: row.not_seen,
    graders: row.graders,
    shownMs: row.shown_ms,
    frameRows: row.frame_rows,
    verdicts: { total: row.total, done: row.done, costNano: BigInt(row.cost_nano), waitingFor: row.waiting_for },
  }
}
