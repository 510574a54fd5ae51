import { windowStartOf } from '@ratchet/contracts/budget-window'
import { type Budget, readBudgets } from '@ratchet/contracts/budgets'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { AllAccounts } from '../billing/sharded-accounts.ts'
import type { EndUserStore } from '../end-users/pg-end-users.ts'
import { anyOne } from './budget.ts'
import type { BudgetSpend, BudgetStore, StoredBudget } from './budget-store.ts'

export interface BudgetRouteDeps {
  readonly budgets: BudgetStore
  readonly accounts: AllAccounts
  readonly endUsersByNumber: Pick<EndUserStore, 'names'>
  readonly now: () => Date
}

/** Of a budget of each one for itself. */
const maxSubjects = 100

/** What people see of budgets. They are set in the dashboard, which owns them. */
export function budgetRoutes(router: Router, { budgets, accounts, endUsersByNumber, now }: BudgetRouteDeps): void {
  mount(router, readBudgets, async ({ identity: { workspaceId } }) => {
    const at = now()
    const stored = await budgets.list(workspaceId)
    const places = stored.map(({ id, period }) => ({ id, windowStart: windowStartOf(period, at) }))
    const spend = await accounts.budgetSpend(workspaceId, { places, maxSubjects })
    const ofUsers = new Set(
      stored.flatMap(({ id, scope, subject }) => (scope === 'user' && subject === anyOne ? [id] : [])),
    )
    const users = spend.flatMap(({ id, subject }) => (ofUsers.has(id) ? [subject] : []))
    const names = await endUsersByNumber.names(workspaceId, users)
    const named = spend.map((each) => ({ ...each, subject: names.get(each.subject) ?? each.subject }))
    const spendOf = Map.groupBy(named, ({ id }) => id)
    return { object: 'list' as const, data: stored.map((budget) => replyOf(budget, spendOf.get(budget.id) ?? [], at)) }
  })
}

function replyOf(budget: StoredBudget, spend: readonly BudgetSpend[], at: Date): Budget {
  const { id, scope, subject, period, amountNano, fallbackModel, warnAtNano } = budget
  return {
    id,
    scope,
    subject,
    period,
    amount_nano: String(amountNano),
    fallback_model: fallbackModel,
    warn_at_nano: warnAtNano === null ? null : String(warnAtNano),
    window_start: windowStartOf(period, at).toISOString(),
    spend: spend.map((each) => ({
      subject: each.subject,
      amount_nano: String(each.amountNano),
      spent_nano: String(each.spentNano),
      held_nano: String(each.heldNano),
    })),
  }
}
