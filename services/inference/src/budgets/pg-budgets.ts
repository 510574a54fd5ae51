import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { Budget } from './budget.ts'
import type { BudgetStore, StoredBudget } from './budget-store.ts'

type BudgetRow = Pick<
  Row<'budget', { amount: string; warn_at: string | null }>,
  'id' | 'workspace_id' | 'scope' | 'subject' | 'period' | 'amount' | 'fallback_model' | 'warn_at'
>

/** Budgets in the main database. */
export function createPgBudgets(pool: Pick<Pool, 'query'>): BudgetStore {
  return {
    async list(workspaceId) {
      const text = `SELECT id, workspace_id, scope, subject, period, amount, fallback_model, warn_at FROM budget
        WHERE workspace_id = $1 ORDER BY id`
      return (await pool.query<BudgetRow>(text, [workspaceId])).rows.map(toBudget)
    },
  }
}

export function toBudget(row: BudgetRow): StoredBudget {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    scope: row.scope as Budget['scope'],
    subject: row.subject,
    period: row.period as Budget['period'],
    amountNano: BigInt(row.amount),
    fallbackModel: row.fallback_model,
    warnAtNano: row.warn_at === null ? null : BigInt(row.warn_at),
  }
}
