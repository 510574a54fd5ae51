import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'

type LoggedRow = Pick<Row<'judgement'>, 'id' | 'workspace_id' | 'log_id' | 'step_ids'>

/** Finished judgements, and pending ones with an answer of a shadow, because that is content of the exchange. */
const purgeable = `(state IN ('done', 'poisoned') OR (state = 'pending' AND judged_response IS NOT NULL))`

interface LoggedJudgement {
  readonly id: string
  readonly workspaceId: string
  /** Log entries that were judged: one, or the steps of a run. */
  readonly logIds: readonly string[]
}

export type PurgingStore = ReturnType<typeof createPgPurging>

/** Judgements of exchanges that are not in the log any more. */
export function createPgPurging(pool: Pool) {
  return {
    /** Deletes judgements whose exchanges have expired. Returns their number. */
    async purgeExpired(): Promise<number> {
      const text = `DELETE FROM judgement WHERE expires_at <= now() AND ${purgeable}`
      return (await pool.query(text)).rowCount ?? 0
    },
    /** Judgements of log entries and runs with higher ids, ordered by id. */
    async loggedAfter(id: string, limit: number): Promise<readonly LoggedJudgement[]> {
      const text = `SELECT id, workspace_id, log_id, step_ids FROM judgement
        WHERE id > $1 AND (log_id IS NOT NULL OR trace_id IS NOT NULL) AND ${purgeable} ORDER BY id LIMIT $2`
      const { rows } = await pool.query<LoggedRow>(text, [id, limit])
      return rows.map(({ id, workspace_id: workspaceId, log_id: logId, step_ids: stepIds }) => ({
        id,
        workspaceId,
        logIds: logId === null ? stepIds : [logId],
      }))
    },
    async delete(ids: readonly string[]): Promise<void> {
      await pool.query('DELETE FROM judgement WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}
