import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Erasure, ErasureStep } from '@ratchet/work-kit/erasure/erasure'

/** The database with the charges of a workspace. */
export type LedgerOf = (workspaceId: string) => Promise<Pool>

type Client = Pick<Pool, 'query'>

/** What must be kept of the person's charges stays, under a number that nobody can compute from the name. */
export function ledgerStep(ledgerOf: LedgerOf): ErasureStep {
  return {
    kind: 'ledger_rows',
    async count({ workspaceId, personId }) {
      const ledger = await ledgerOf(workspaceId)
      const { rows } = await ledger.query<{ count: number }>(countStatement, [workspaceId, personId])
      return rows[0]?.count ?? 0
    },
    async erase(_, erasure) {
      return inTransaction(await ledgerOf(erasure.workspaceId), (client) => rename(client, erasure))
    },
  }
}

const ofPerson = 'wallet_id = $1 AND end_user_id = $2'

const countStatement = `SELECT (
    (SELECT count(*) FROM billing_request WHERE ${ofPerson}) + (SELECT count(*) FROM charge WHERE ${ofPerson})
  )::int AS count`

/** The ids of the person's requests, and those under which the log has them. */
export const requestsStatement = `
  SELECT request_id AS id FROM billing_request WHERE ${ofPerson}
  UNION SELECT request_id FROM charge WHERE ${ofPerson}
  UNION SELECT log_request_id FROM billing_request WHERE ${ofPerson} AND log_request_id IS NOT NULL
  UNION SELECT log_request_id FROM charge WHERE ${ofPerson} AND log_request_id IS NOT NULL`

/** All at once, because the sums by user equal the charges at any time. */
async function rename(client: Client, { workspaceId, personId, pseudonym }: Erasure): Promise<number> {
  const values = [workspaceId, personId, pseudonym]
  await client.query('SELECT 1 FROM wallet WHERE workspace_id = $1 FOR UPDATE', [workspaceId])
  const requests = await client.query(requestStatement, values)
  const charges = await client.query(`UPDATE charge SET end_user_id = $3 WHERE ${ofPerson}`, values)
  await client.query(`UPDATE usage_user_hour SET end_user_id = $3 WHERE ${ofPerson}`, values)
  await client.query('UPDATE budget_window SET subject = $3::text WHERE wallet_id = $1 AND subject = $2::text', values)
  return (requests.rowCount ?? 0) + (charges.rowCount ?? 0)
}

const requestStatement = `
  UPDATE billing_request SET end_user_id = $3, budget_subjects = array_replace(budget_subjects, $2::uuid::text, $3::uuid::text)
  WHERE ${ofPerson}`
