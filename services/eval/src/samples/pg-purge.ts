import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'

/** A log entry from which a sample holds texts. Both ids are UUIDs. */
export interface ReferencedLog {
  readonly workspaceId: string
  readonly logId: string
}

export type PurgeStore = ReturnType<typeof createPgPurge>

const smallestUuid = '00000000-0000-0000-0000-000000000000'

/** Deletes the texts of samples and leaves their measurements. */
export function createPgPurge(pool: Pool) {
  return {
    /** Deletes the texts whose log entries expired. Resolves with the number of samples. */
    purgeExpired: (): Promise<number> => purgeWhere(pool, 'expires_at <= now()', []),
    /** Log entries from which samples hold texts, in order, after the cursor. */
    async referencedLogs(after: ReferencedLog | null, limit: number): Promise<readonly ReferencedLog[]> {
      const text = `SELECT DISTINCT workspace_id, log_id FROM eval_sample
        WHERE log_id IS NOT NULL AND prompt IS NOT NULL AND (workspace_id, log_id) > ($1::uuid, $2::uuid)
        ORDER BY workspace_id, log_id LIMIT $3`
      const values = [after?.workspaceId ?? smallestUuid, after?.logId ?? smallestUuid, limit]
      const { rows } = await pool.query<ReferencedRow>(text, values)
      return rows.map((row) => ({ workspaceId: row.workspace_id, logId: row.log_id }))
    },
    /** Deletes the texts that came from these log entries. */
    async purge(logs: readonly ReferencedLog[]): Promise<void> {
      const condition = '(workspace_id, log_id) IN (SELECT w, l FROM unnest($1::uuid[], $2::uuid[]) AS deleted(w, l))'
      await purgeWhere(pool, condition, [logs.map(({ workspaceId }) => workspaceId), logs.map(({ logId }) => logId)])
    },
  }
}

type ReferencedRow = Pick<Row<'evalSample', { log_id: string }>, 'workspace_id' | 'log_id'>

function purgeWhere(pool: Pool, condition: string, values: readonly unknown[]): Promise<number> {
  return inTransaction(pool, async (client) => {
    const samples = `UPDATE eval_sample SET prompt = NULL, reference = NULL, last_error = NULL
      WHERE prompt IS NOT NULL AND ${condition} RETURNING id`
    const { rows } = await client.query<{ id: string }>(samples, [...values])
    const ids = rows.map(({ id }) => id)
    // The error message of a provider may quote the prompt, so its text is deleted too.
    const answers = `UPDATE eval_answer SET message = NULL, error = CASE WHEN error IS NOT NULL THEN 'forgotten' END
      WHERE sample_id = ANY($1::uuid[])`
    await client.query(answers, [ids])
    await client.query('UPDATE eval_look SET explanation = NULL WHERE sample_id = ANY($1::uuid[])', [ids])
    await client.query('UPDATE eval_panel_verdict SET explanation = NULL WHERE sample_id = ANY($1::uuid[])', [ids])
    return ids.length
  })
}
