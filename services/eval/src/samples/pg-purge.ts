import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { ForgettingStore } from './sample.ts'

interface HeldRow {
  readonly workspace_id: string
  readonly log_id: string
}

const first = '00000000-0000-0000-0000-000000000000'

/** Takes the texts of samples away; what they measured stays. */
export function createPgForgetting(pool: Pool): ForgettingStore {
  const forgetWhere = (condition: string, values: readonly unknown[]) =>
    inTransaction(pool, async (client) => {
      const forget = `UPDATE eval_sample SET prompt = NULL, reference = NULL, last_error = NULL
        WHERE prompt IS NOT NULL AND ${condition} RETURNING id`
      const { rows } = await client.query<{ id: string }>(forget, [...values])
      const ids = rows.map(({ id }) => id)
      // What a provider says of an error may quote what it was asked.
      const answers = `UPDATE eval_answer SET message = NULL, error = CASE WHEN error IS NOT NULL THEN 'forgotten' END
        WHERE sample_id = ANY($1::uuid[])`
      await client.query(answers, [ids])
      await client.query('UPDATE eval_look SET explanation = NULL WHERE sample_id = ANY($1::uuid[])', [ids])
      return ids.length
    })
  return {
    forgetExpired: () => forgetWhere('expires_at <= now()', []),
    async heldLogs(after, limit) {
      const text = `SELECT DISTINCT workspace_id, log_id FROM eval_sample
        WHERE log_id IS NOT NULL AND prompt IS NOT NULL AND (workspace_id, log_id) > ($1::uuid, $2::uuid)
        ORDER BY workspace_id, log_id LIMIT $3`
      const values = [after?.workspaceId ?? first, after?.logId ?? first, limit]
      const { rows } = await pool.query<HeldRow>(text, values)
      return rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }))
    },
    async forget(logs) {
      const condition = '(workspace_id, log_id) IN (SELECT w, l FROM unnest($1::uuid[], $2::uuid[]) AS gone(w, l))'
      await forgetWhere(condition, [logs.map(({ workspaceId }) => workspaceId), logs.map(({ logId }) => logId)])
    },
  }
}
