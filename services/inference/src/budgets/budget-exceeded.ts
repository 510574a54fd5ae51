import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { exceededPlaces, type OverBudget } from '../ledger/over-budget.ts'
import type { AppliedBudget } from './applied-budgets.ts'
import { anyOne } from './budget.ts'

/** 402 `budget_exceeded`. Nothing is held and no model was called. */
export class BudgetExceeded extends ServiceError {
  /** The model or alias that may answer in place of the requested one; null when some budget demands a refusal. */
  readonly fallbackModel: string | null

  constructor(message: string, fallbackModel: string | null) {
    super('budget_exceeded', message)
    this.fallbackModel = fallbackModel
  }
}

/** Names the first budget that does not cover a request. One that refuses comes before those with a fallback. */
export function budgetExceeded(applied: readonly AppliedBudget[], outcome: OverBudget): BudgetExceeded {
  const exceeded = exceededPlaces(outcome).flatMap((place) => applied[place] ?? [])
  const first = exceeded.find(({ budget }) => budget.fallbackModel === null) ?? exceeded[0]
  if (first === undefined) throw new Error(`no budget is ${outcome}`)
  const message = `The budget of ${whose(first)} ${span[first.budget.period]} does not cover the maximum cost of this request. Lower max_tokens, or raise the budget.`
  return new BudgetExceeded(message, first.budget.fallbackModel)
}

const span = { day: 'for this day', week: 'for this week', month: 'for this month', total: 'in all' } as const

function whose({ budget: { scope, subject }, window }: AppliedBudget): string {
  if (scope === 'workspace') return 'this workspace'
  if (scope === 'key') return 'this API key'
  if (scope === 'user') return subject === anyOne ? 'this end user' : `the end user ${JSON.stringify(subject)}`
  return `the tag ${JSON.stringify(subject === anyOne ? window.subject : subject)}`
}
