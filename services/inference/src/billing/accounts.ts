import type { UsageGroup } from '@ratchet/contracts/billing'
import type { BudgetPlace, BudgetSpend } from '../budgets/budget-store.ts'

/** A wallet at one moment. Every charge that was made is in it. */
export interface WalletState {
  readonly balanceNano: bigint
  /** By running requests, and by blocks. */
  readonly heldNano: bigint
  readonly inBlocksNano: bigint
  /** Number of running requests with a row of their own. */
  readonly openCount: number
  /** The oldest ones, at most 20. */
  readonly openHolds: readonly {
    readonly billingId: string
    readonly holdNano: bigint
    readonly model: string
    readonly openedAt: Date
  }[]
}

/** From `from` to before `to`. */
export interface Period {
  readonly from: Date
  readonly to: Date
}

/** The place of an entry in the order of a ledger. */
export interface EntryPlace {
  readonly at: Date
  readonly id: bigint
}

export interface Entry extends EntryPlace {
  readonly reason: 'top_up' | 'usage' | 'expiry' | 'late_post' | 'correction'
  readonly amountNano: bigint
  readonly balanceNano: bigint
  readonly charges: number | null
  readonly reference: string
  readonly note: string | null
}

export interface UsageSums {
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costNano: bigint
}

export interface UsageOfGroup extends UsageSums {
  readonly group: string | null
}

export interface UsageReport {
  /** What the ledger charged in the period. */
  readonly chargesNano: bigint
  readonly unattributedNano: bigint
  readonly groups: readonly UsageOfGroup[]
  /** The sum of further groups; null when there are none. */
  readonly others: (UsageSums & { readonly groups: number }) | null
}

/** What was charged on a day, for a group or for the rest. */
export interface UsageOfDay {
  /** UTC, as 2026-11-24. */
  readonly day: string
  readonly kind: 'group' | 'others' | 'unattributed'
  readonly group: string | null
  readonly costNano: bigint
}

export interface UsageWithDays extends UsageReport {
  /** Adds up to the charges, as the groups do. */
  readonly days: readonly UsageOfDay[]
}

export interface StatementCredit {
  readonly at: Date
  readonly amountNano: bigint
  readonly reference: string
}

export interface StatementSums {
  readonly openingNano: bigint
  readonly creditsNano: bigint
  /** By operators; negative when they took more than they gave. */
  readonly correctionsNano: bigint
  readonly chargesNano: bigint
  readonly closingNano: bigint
  readonly credits: readonly StatementCredit[]
  readonly corrections: readonly StatementCredit[]
}

/** What people read about the money of a workspace. Each method is of one moment. */
export interface Accounts {
  wallet(workspaceId: string): Promise<WalletState>
  /** Entries of a period, the newest first, older than `after`. */
  entries(
    workspaceId: string,
    page: Period & { readonly after: EntryPlace | null; readonly limit: number },
  ): Promise<readonly Entry[]>
  usage(workspaceId: string, query: Period & { readonly groupBy: UsageGroup }): Promise<UsageWithDays>
  /** What was spent in windows of budgets, of each by the subjects that spent most. */
  budgetSpend(
    workspaceId: string,
    query: { readonly places: readonly BudgetPlace[]; readonly maxSubjects: number },
  ): Promise<readonly BudgetSpend[]>
  /** Which of these models workspaces have paid for since a time, of all workspaces. */
  usedSince(
    models: readonly string[],
    since: Date,
  ): Promise<readonly { readonly workspaceId: string; readonly model: string }[]>
  /** The sums of a month, and its usage by model. */
  statement(workspaceId: string, month: Period): Promise<{ readonly sums: StatementSums; readonly usage: UsageReport }>
}
