import { windowStartOf } from '@ratchet/contracts/budget-window'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { BudgetPlace, BudgetSpend, StoredBudget } from '../budgets/budget-store.ts'

/** What a workspace is warned of, once. */
export interface Warning {
  readonly workspaceId: string
  readonly type: 'budget.threshold' | 'key.expiring' | 'catalog.stale'
  /** What it is about: a repeated warning about the same is none. */
  readonly about: string
  readonly data: Readonly<Record<string, string | null>>
}

/** A key that is in force, and expires. */
export interface ExpiringKey {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly display: string
  readonly expiresAt: Date
}

/** Milliseconds before the end of a key from which on people are warned. */
export const keyNoticeMs = 7 * dayMs

export interface WarningDeps {
  readonly store: {
    /** Budgets of all workspaces that warn. */
    warning(): Promise<readonly StoredBudget[]>
    /** Keys that expire before then. */
    expiring(before: Date): Promise<readonly ExpiringKey[]>
    /** Writes warnings that were not written before. */
    warn(warnings: readonly Warning[], at: Date): Promise<void>
  }
  readonly budgetSpend: (
    workspaceId: string,
    query: { readonly places: readonly BudgetPlace[]; readonly maxSubjects: number },
  ) => Promise<readonly BudgetSpend[]>
  readonly now: () => Date
  readonly onError: (error: unknown) => void
}

/** Subjects of a budget of each one for itself of whom people are warned in a window. */
const maxSubjects = 1_000

/** Writes the warnings that are due. A ledger that cannot be read delays no other workspace. */
export async function findWarnings({ store, budgetSpend, now, onError }: WarningDeps): Promise<void> {
  const at = now()
  const keys = (await store.expiring(new Date(at.getTime() + keyNoticeMs))).map(keyWarning)
  if (keys.length > 0) await store.warn(keys, at)
  const byWorkspace = Map.groupBy(await store.warning(), ({ workspaceId }) => workspaceId)
  for (const [workspaceId, budgets] of byWorkspace) {
    try {
      const places = budgets.map(({ id, period }) => ({ id, windowStart: windowStartOf(period, at) }))
      const spend = await budgetSpend(workspaceId, { places, maxSubjects })
      const warnings = budgets.flatMap((budget) => budgetWarnings(budget, spend, at))
      if (warnings.length > 0) await store.warn(warnings, at)
    } catch (error) {
      onError(error)
    }
  }
}

/** A new threshold is another warning, and so is a new window. */
function budgetWarnings(budget: StoredBudget, spend: readonly BudgetSpend[], at: Date): readonly Warning[] {
  const { id, workspaceId, warnAtNano, period, scope, amountNano } = budget
  if (warnAtNano === null) return []
  const windowStart = windowStartOf(period, at).toISOString()
  return spend.flatMap(({ id: spentUnder, subject, spentNano, heldNano }) => {
    if (spentUnder !== id || spentNano + heldNano < warnAtNano) return []
    const data = {
      object: 'budget',
      id,
      scope,
      subject: subject === '' ? budget.subject : subject,
      period,
      window_start: windowStart,
      amount_nano: String(amountNano),
      warn_at_nano: String(warnAtNano),
      used_nano: String(spentNano + heldNano),
    }
    return [
      { workspaceId, type: 'budget.threshold' as const, about: `${id} ${windowStart} ${warnAtNano} ${subject}`, data },
    ]
  })
}

function keyWarning({ id, workspaceId, name, display, expiresAt }: ExpiringKey): Warning {
  const data = { object: 'api_key', id, name, display, expires_at: expiresAt.toISOString() }
  return { workspaceId, type: 'key.expiring', about: `${id} ${data.expires_at}`, data }
}
