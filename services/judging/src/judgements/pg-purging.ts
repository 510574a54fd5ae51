import type { Pool } from '@ratchet/db/connect-pool'
import type { PurgingStore } from './purging.ts'

interface LoggedRow {
  readonly id: string
  readonly workspace_id: string
  readonly log_id: string
}

/** What was judged, or never will be; and what a mirror answered, which is content of the exchange even before. */
const forgettable = `(state IN ('done', 'poisoned') OR (state = 'pending' AND judged_response IS NOT NULL))`

export function createPgPurging(pool: Pool): PurgingStore {
  return {
    async purgeExpired() {
      const text = `DELETE FROM judgement WHERE expires_at <= now() AND ${forgettable}`
      return (await pool.query(text)).rowCount ?? 0
    },
    async loggedAfter(id, limit) {
      const text = `SELECT id, workspace_id, log_id FROM judgement
        WHERE id > $1 AND log_id IS NOT NULL AND ${forgettable} ORDER BY id LIMIT $2`
      const { rows } = await pool.query<LoggedRow>(text, [id, limit])
      return rows.map((row) => ({ id: row.id, workspaceId: row.workspace_id, logId: row.log_id }))
    },
    async forget(ids) {
      await pool.query('DELETE FROM judgement WHERE id = ANY($1::uuid[])', [ids])
    },
  }
}
