import { maxBudgets, removeBudget, setBudget } from '@ratchet/contracts/dashboard/budgets'
import { done } from '@ratchet/contracts/dashboard/values'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { z } from 'zod'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { BudgetStore } from './pg-budgets.ts'

export interface BudgetDeps extends PeopleDeps {
  readonly budgets: BudgetStore
}

/** What was spent under them is read from inference, whose ledger counts it. */
export function budgetRoutes(router: Router, deps: BudgetDeps): void {
  const { budgets, newId } = deps
  mountForMember(router, deps, setBudget, async ({ body, act }) => {
    const { scope, subject, period, amount_nano: amount, fallback_model: fallbackModel, warn_at_nano: warnAt } = body
    if ((scope === 'workspace') !== (subject === ''))
      throw invalidRequest('subject', 'This must be empty for the workspace, and only there.')
    if (scope === 'key' && subject !== '*' && !z.uuid().safeParse(subject).success) throw notFound('API key', 'subject')
    const budget = { id: newId(), scope, subject, period, amount: BigInt(amount), fallbackModel }
    const row = { ...budget, warnAt: warnAt === null ? null : BigInt(warnAt) }
    const outcome = await budgets.set(act, row, { maxBudgets })
    if (outcome.kind === 'no_key') throw notFound('API key', 'subject')
    if (outcome.kind === 'too_many')
      throw new ServiceError('quota_exceeded', `A workspace may have ${maxBudgets} budgets; remove one first.`)
    return { id: outcome.id }
  })
  mountForMember(router, deps, removeBudget, async ({ params: { id }, act }) => {
    if (!(await budgets.remove(act, id))) throw notFound('budget')
    return done
  })
}
