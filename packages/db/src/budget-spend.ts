import type { Pool } from './connect-pool.ts'

/** A window of a budget, whoever spends in it. */
export interface BudgetPlace {
  readonly id: string
  readonly windowStart: Date
}

/** What was spent and is held in a window, by one subject. */
export interface BudgetSpend {
  readonly id: string
  /** Whose it is, where the budget is of each one; else empty. */
  readonly subject: string
  readonly amountNano: bigint
  readonly spentNano: bigint
  readonly heldNano: bigint
}

interface SpendRow {
  readonly budget_id: string
  readonly subject: string
  readonly amount: string
  readonly spent: string
  readonly held: string
}

/** The windows ($2, $3) of budgets of wallet $1, of each at most the $4 subjects that spent most. */
const spendStatement = `
SELECT w.budget_id, w.subject, w.amount, w.spent, w.held
FROM unnest($2::uuid[], $3::timestamptz[]) AS t(budget_id, window_start)
CROSS JOIN LATERAL (
  SELECT * FROM budget_window b
  WHERE b.wallet_id = $1::uuid AND b.budget_id = t.budget_id AND b.window_start = t.window_start
  ORDER BY b.spent + b.held DESC, b.subject LIMIT $4::int
) AS w`

/** What was spent under budgets of a wallet, in the database of its ledger. */
export async function readBudgetSpend(
  pool: Pick<Pool, 'query'>,
  workspaceId: string,
  { places, maxSubjects }: { readonly places: readonly BudgetPlace[]; readonly maxSubjects: number },
): Promise<readonly BudgetSpend[]> {
  if (places.length === 0) return []
  const values = [workspaceId, places.map(({ id }) => id), places.map(({ windowStart }) => windowStart), maxSubjects]
  const { rows } = await pool.query<SpendRow>(spendStatement, values)
  return rows.map(({ budget_id, subject, amount, spent, held }) => ({
    id: budget_id,
    subject,
    amountNano: BigInt(amount),
    spentNano: BigInt(spent),
    heldNano: BigInt(held),
  }))
}
