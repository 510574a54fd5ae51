import type { Pool } from '@ratchet/db/connect-pool'
import type { FirstAnswers } from '@ratchet/service-kit/http/answer-once'

/** The table of the service that answers. */
export type AnswerTable = 'judging_answer' | 'logging_answer' | 'training_answer' | 'voice_answer'

interface AnswerRow {
  readonly digest: string | null
  readonly answer: string | null
}

/** First answers in Postgres. */
export function createPgFirstAnswers(pool: Pick<Pool, 'query'>, table: AnswerTable): FirstAnswers {
  const statements = answerStatements(table)
  return {
    async claim({ workspaceId, id }, { at, until }) {
      const claimed = await pool.query<{ claim: string }>(statements.claim, [workspaceId, id, at, until])
      if (claimed.rows[0] !== undefined) return { kind: 'claimed', token: claimed.rows[0].claim }
      const { rows } = await pool.query<AnswerRow>(statements.read, [workspaceId, id])
      const { digest, answer } = rows[0] ?? { digest: null, answer: null }
      if (digest === null || answer === null) return { kind: 'running' }
      return { kind: 'answered', digest, answer: JSON.parse(answer) as unknown }
    },
    async renew({ workspaceId, id, token }, until) {
      await pool.query(statements.renew, [workspaceId, id, token, until])
    },
    async keep({ workspaceId, id, token }, { digest, answer, expiresAt }) {
      await pool.query(statements.keep, [workspaceId, id, token, digest, JSON.stringify(answer), expiresAt])
    },
    async release({ workspaceId, id, token }) {
      await pool.query(statements.release, [workspaceId, id, token])
    },
  }
}

/** Deletes expired answers. Resolves with their number. */
export async function sweepAnswers(pool: Pick<Pool, 'query'>, table: AnswerTable): Promise<number> {
  return (await pool.query(answerStatements(table).sweep)).rowCount ?? 0
}

/** A claim expires like an answer, so that a process that dies does not hold its key for ever. */
export function answerStatements(table: AnswerTable) {
  return {
    claim: `INSERT INTO ${table} AS a (workspace_id, id, claim, expires_at) VALUES ($1, $2, gen_random_uuid(), $4)
      ON CONFLICT (workspace_id, id)
      DO UPDATE SET claim = excluded.claim, digest = NULL, answer = NULL, expires_at = $4
      WHERE a.expires_at <= $3 RETURNING claim`,
    read: `SELECT digest, answer FROM ${table} WHERE workspace_id = $1 AND id = $2`,
    renew: `UPDATE ${table} SET expires_at = $4
      WHERE workspace_id = $1 AND id = $2 AND claim = $3 AND answer IS NULL`,
    keep: `INSERT INTO ${table} AS a (workspace_id, id, claim, digest, answer, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (workspace_id, id)
      DO UPDATE SET digest = excluded.digest, answer = excluded.answer, expires_at = excluded.expires_at
      WHERE a.claim = excluded.claim`,
    release: `DELETE FROM ${table} WHERE workspace_id = $1 AND id = $2 AND claim = $3 AND answer IS NULL`,
    sweep: `DELETE FROM ${table} WHERE expires_at <= now()`,
  }
}
