import { windowStartOf } from '@ratchet/contracts/budget-window'
import type { EndUser } from '../end-users/end-user.ts'
import type { BudgetWindow } from '../ledger/ledger.ts'
import { anyOne, type Budget } from './budget.ts'

/** Who spends: a request has a key or none, an end user or none, a tag or none. */
export interface Spender {
  readonly keyId: string | null
  readonly user: EndUser | null
  readonly tag: string | null
}

/** A budget that a request counts for, and the window of it. */
export interface AppliedBudget {
  readonly budget: Budget
  readonly window: BudgetWindow
}

/** The budgets that a request counts for. One of each one for itself is counted for whoever it is. */
export function appliedBudgets(budgets: readonly Budget[], spender: Spender, at: Date): readonly AppliedBudget[] {
  return budgets.flatMap((budget) => {
    const { id, amountNano, period } = budget
    const subject = subjectOf(budget, spender)
    if (subject === null) return []
    return [{ budget, window: { id, subject, windowStart: windowStartOf(period, at), amountNano } }]
  })
}

/** The subject of the window; null when the budget does not concern the request. */
function subjectOf({ scope, subject }: Budget, { keyId, user, tag }: Spender): string | null {
  if (scope === 'workspace') return ''
  const own = { key: keyId, user: user?.name ?? null, tag }[scope]
  if (own === null || own === '') return null
  // The ledger has no names of end users.
  if (subject === anyOne) return scope === 'user' ? (user?.id ?? null) : own
  return subject === own ? '' : null
}
