import type { Budget } from './budget.ts'

/** A budget with what people are told about it. */
export interface StoredBudget extends Budget {
  readonly workspaceId: string
  /** Spent and held, from which on people are told; null: never. */
  readonly warnAtNano: bigint | null
}

export interface BudgetStore {
  /** In the order of their ids. */
  list(workspaceId: string): Promise<readonly StoredBudget[]>
}

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
