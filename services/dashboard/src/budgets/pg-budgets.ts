import { type BudgetRow, type NewBudget, removeBudget, saveBudget } from '@ratchet/db/budgets'
import type { DashboardDb, DashboardTransaction } from '@ratchet/db/dashboard-client'
import type { Act } from '../audit/act.ts'
import { recordChange } from '../audit/pg-audit.ts'
import { lockMember } from '../members/pg-members.ts'
import { differenceOf } from '../settings/difference.ts'

export type BudgetStore = ReturnType<typeof createPgBudgets>

export type SetOutcome =
  | { readonly kind: 'set'; readonly id: string }
  | { readonly kind: 'no_key' }
  | { readonly kind: 'too_many' }

export interface BudgetRules {
  readonly maxBudgets: number
}

export function createPgBudgets(db: DashboardDb) {
  return {
    /** `no_key`: the workspace has no such key. `too_many`: it has as many budgets as it may. */
    set: (act: Act, budget: BudgetRow, rules: BudgetRules): Promise<SetOutcome> =>
      db.$transaction(async (tx) => {
        const { workspaceId, userId, at } = act
        // Budgets are set one after the other, so that no two exceed their number.
        await lockMember(tx, { workspaceId, userId })
        if (!(await hasSubject(tx, workspaceId, budget))) return { kind: 'no_key' }
        const set: NewBudget = { ...budget, workspaceId, createdBy: userId, at }
        const { before, after } = await saveBudget(tx, set)
        if ((await tx.budget.count({ where: { workspaceId } })) > rules.maxBudgets && before === null) {
          await removeBudget(tx, workspaceId, after.id)
          return { kind: 'too_many' }
        }
        const difference = before === null ? { after: textOf(after) } : differenceOf(textOf(before), textOf(after))
        if (difference !== null) await recordChange(tx, act, { action: 'budget.set', subject: after.id, ...difference })
        return { kind: 'set', id: after.id }
      }),
    /** False when the workspace has no such budget. */
    remove: (act: Act, id: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const before = await removeBudget(tx, act.workspaceId, id)
        if (before === null) return false
        await recordChange(tx, act, { action: 'budget.removed', subject: id, before: textOf(before) })
        return true
      }),
  }
}

async function hasSubject(
  tx: Pick<DashboardTransaction, 'apiKey'>,
  workspaceId: string,
  { scope, subject }: BudgetRow,
): Promise<boolean> {
  if (scope !== 'key' || subject === '*') return true
  return (await tx.apiKey.count({ where: { workspaceId, id: subject } })) > 0
}

/** JSON has no integers of that size. */
function textOf({ id: _, amount, warnAt, ...budget }: BudgetRow) {
  return { ...budget, amount: String(amount), warnAt: warnAt === null ? null : String(warnAt) }
}
