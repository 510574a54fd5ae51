import type { Pool } from '@ratchet/db/connect-pool'

/** Money that was paid into a wallet of any ledger, or that an operator corrected. */
export interface PaidCredit {
  readonly workspaceId: string
  readonly at: Date
  readonly amountNano: bigint
  readonly reference: string
  readonly kind: 'top_up' | 'correction'
}

export interface CreditPage {
  readonly limit: number
  readonly offset: number
}

export type CreditList = ReturnType<typeof createPgCredits>

interface CreditRow {
  readonly workspace_id: string
  readonly at: Date
  readonly amount: string
  readonly reference: string
  readonly kind: PaidCredit['kind']
}

/** The entries of the main ledger, and what was claimed for others. Only credits and corrections have an external reference. */
const paid = `
SELECT wallet_id AS workspace_id, at, amount, external_ref AS reference, reason::text AS kind FROM ledger_entry
WHERE external_ref IS NOT NULL AND account = 'wallet'
UNION ALL
SELECT workspace_id, claimed_at, amount, reference, reason::text FROM top_up_reference r
WHERE is_posted AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.external_ref = r.reference AND e.account = 'wallet')`

const allStatement = `SELECT * FROM (${paid}) AS p ORDER BY at DESC, reference LIMIT $1 OFFSET $2`

const countStatement = `SELECT count(*)::int AS total FROM (${paid}) AS p`

/** What was paid into all wallets and corrected in them, newest first. The main database claims the references of every ledger. */
export function createPgCredits(pool: Pick<Pool, 'query'>) {
  return {
    async list({
      limit,
      offset,
    }: CreditPage): Promise<{ readonly total: number; readonly found: readonly PaidCredit[] }> {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement),
        pool.query<CreditRow>(allStatement, [limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, found: rows.map(paidCredit) }
    },
  }
}

function paidCredit({ workspace_id: workspaceId, at, amount, reference, kind }: CreditRow): PaidCredit {
  return { workspaceId, at, amountNano: BigInt(amount), reference, kind }
}
