import { maxFeedback } from '@ratchet/contracts/feedback'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { FeedbackCount, FeedbackTarget, StoredFeedback } from './feedback.ts'

export type FeedbackStore = ReturnType<typeof createPgFeedback>

/** An exchange or a run with the trace that it belongs to. */
export interface FeedbackPlace {
  /** UUID. */
  readonly logId: string
  readonly traceId: string | null
}

/** Feedback of users in Postgres. */
export function createPgFeedback(pool: Pick<Pool, 'query'>) {
  return {
    /** False when its target has as much as is kept. */
    async add(feedback: StoredFeedback): Promise<boolean> {
      const { id, workspaceId, target, rating, score, comment, createdBy } = feedback
      const { createdAt, loggedAt, expiresAt } = feedback
      const what = [id, workspaceId, target.logId, target.traceId, rating, score, comment, createdBy]
      const { rowCount } = await pool.query(addStatement, [...what, createdAt, loggedAt, expiresAt, maxFeedback])
      return rowCount === 1
    },
    async get({ workspaceId, at }: ReadScope, id: string): Promise<StoredFeedback | null> {
      const text = 'SELECT * FROM feedback WHERE workspace_id = $1 AND id = $2 AND expires_at > $3'
      const { rows } = await pool.query<FeedbackRow>(text, [workspaceId, id, at])
      return rows[0] === undefined ? null : feedbackOf(rows[0])
    },
    /** On an exchange and on its trace, the oldest first. */
    async of({ workspaceId, at }: ReadScope, { logId, traceId }: FeedbackPlace): Promise<readonly StoredFeedback[]> {
      const { rows } = await pool.query<FeedbackRow>(ofStatement, [workspaceId, logId, traceId, at])
      return rows.map(feedbackOf)
    },
    /** Numbers by target; those without any are left out. */
    async count(
      { workspaceId, at }: ReadScope,
      { logIds, traceIds }: { readonly logIds: readonly string[]; readonly traceIds: readonly string[] },
    ): Promise<readonly FeedbackCount[]> {
      const { rows } = await pool.query<CountRow>(countStatement, [workspaceId, logIds, traceIds, at])
      return rows.map((row) => ({ target: targetOf(row), up: row.up, down: row.down }))
    },
    /** Feedback on a trace may speak of any of its steps, so it is deleted with the first one. */
    async deleteOf(workspaceId: string, { logId, traceId }: FeedbackPlace): Promise<void> {
      await pool.query(deleteStatement, [workspaceId, logId, traceId])
    },
  }
}

type FeedbackRow = Row<'feedback', { rating: StoredFeedback['rating'] }>

interface CountRow extends Pick<FeedbackRow, 'log_id' | 'trace_id'> {
  readonly up: number
  readonly down: number
}

const addStatement = `
  INSERT INTO feedback (id, workspace_id, log_id, trace_id, rating, score, comment, created_by, created_at, logged_at, expires_at)
  SELECT $1, $2, $3::uuid, $4::text, $5, $6, $7, $8, $9, $10, $11
  WHERE (SELECT count(*) FROM feedback f WHERE f.workspace_id = $2 AND (f.log_id = $3::uuid OR f.trace_id = $4::text)) < $12`

const ofStatement = `
  SELECT * FROM feedback f
  WHERE f.workspace_id = $1 AND (f.log_id = $2::uuid OR f.trace_id = $3::text) AND f.expires_at > $4
  ORDER BY f.created_at, f.id`

/** A rating counts before the score. */
const countStatement = `
  SELECT f.log_id, f.trace_id,
    (count(*) FILTER (WHERE f.rating = 'up' OR (f.rating IS NULL AND f.score > 0.5)))::int AS up,
    (count(*) FILTER (WHERE f.rating = 'down' OR (f.rating IS NULL AND f.score < 0.5)))::int AS down
  FROM feedback f
  WHERE f.workspace_id = $1 AND (f.log_id = ANY($2::uuid[]) OR f.trace_id = ANY($3::text[])) AND f.expires_at > $4
  GROUP BY f.log_id, f.trace_id`

const deleteStatement = 'DELETE FROM feedback WHERE workspace_id = $1 AND (log_id = $2::uuid OR trace_id = $3::text)'

function targetOf({ log_id: logId, trace_id: traceId }: Pick<FeedbackRow, 'log_id' | 'trace_id'>): FeedbackTarget {
  return logId === null ? { logId, traceId: traceId ?? '' } : { logId, traceId: null }
}

function feedbackOf(row: FeedbackRow): StoredFeedback {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    target: targetOf(row),
    rating: row.rating,
    score: row.score,
    comment: row.comment,
    createdBy: row.created_by,
    createdAt: row.created_at,
    loggedAt: row.logged_at,
    expiresAt: row.expires_at,
  }
}
