import type { Pool } from '@ratchet/db/connect-pool'
import type { ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'

const exchangesPerBatch = 50

const openReferences = `FROM erasure_reference WHERE erasure_id = $1 AND kind = 'log' AND NOT is_erased`

/**
 * Deletes exchanges from their store, which may be another database. An exchange counts when its reference is marked, so that one
 * that was deleted right before a process died is counted by the next one.
 */
export function exchangeStep(pool: Pool, reads: Pick<ExchangeReads, 'delete'>, now: () => Date): ErasureStep {
  return {
    kind: 'exchanges',
    async count({ id }) {
      const { rows } = await pool.query<{ count: number }>(`SELECT count(*)::int AS count ${openReferences}`, [id])
      return rows[0]?.count ?? 0
    },
    async erase(client, { id, workspaceId }) {
      const chosen = `SELECT value ${openReferences} LIMIT ${exchangesPerBatch}`
      const { rows } = await client.query<{ value: string }>(chosen, [id])
      for (const { value } of rows) await reads.delete({ workspaceId, at: now() }, value)
      const mark = `UPDATE erasure_reference SET is_erased = true WHERE erasure_id = $1 AND kind = 'log' AND value = ANY($2)`
      await client.query(mark, [id, rows.map(({ value }) => value)])
      return rows.length
    },
  }
}
