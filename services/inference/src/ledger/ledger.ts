import type { OverBudget } from './over-budget.ts'

/**
 * The outcome of a hold. `held`: it was taken now. `open`, `posted`, `voided`: the ledger already knew the id in this
 * state. `refused`: the wallet does not cover it. `capped`: the wallet covers it, but the spend cap does not. `over_budget:…`: both cover it, and a budget does not.
 */
export type HoldOutcome = 'held' | 'open' | 'posted' | 'voided' | 'refused' | 'capped' | OverBudget

/** A maximum for the costs of a workspace's calls in a window of time, independent of its wallet. */
export interface SpendCap {
  /** UUID, unique within the workspace. */
  readonly id: string
  /** The start of the window. A hold counts in the window that it names, even if it is settled in a later one. */
  readonly windowStart: Date
  /** Maximum of the window's holds and costs, ≥ 0; 0 for unlimited. It may differ from hold to hold. */
  readonly capNano: bigint
}

/** A window of a budget. A hold counts in the windows that it names, even if it is settled later. */
export interface BudgetWindow {
  /** UUID, unique within the workspace. */
  readonly id: string
  /** Whose spend it is, where the budget is of each one; else empty. */
  readonly subject: string
  readonly windowStart: Date
  /** Maximum of the window's holds and costs, ≥ 1. It may differ from hold to hold. */
  readonly amountNano: bigint
}

/** What a request is for. The usage of a workspace is grouped by it. */
export interface UsageLabels {
  /** The API key of the request; null for a person in the dashboard. */
  readonly keyId: string | null
  /** The tag that the client sent. */
  readonly tag: string | null
  /** The name of the alias that the client sent as a model. */
  readonly alias: string | null
  /** The number of the end user that the client named; absent or null for none. */
  readonly endUserId?: string | null
}

/** The tokens that were charged. */
export interface ChargedTokens {
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface Hold {
  /** UUID of one request, or of all attempts of one claim of an idempotency key. */
  readonly billingId: string
  readonly workspaceId: string
  /** Maximum cost of the request, ≥ 0. */
  readonly amountNano: bigint
  readonly kind: string
  readonly model: string
  /** The version of the prices with which `amountNano` was computed and the charge will be. */
  readonly priceVersion: string
  readonly labels?: UsageLabels
  /** The hold is taken from both the wallet and the cap, or from neither. */
  readonly cap?: SpendCap
  /** Windows, each once, that the hold is taken from too: from all of them and the wallet, or from none. Absent: none. */
  readonly budgets?: readonly BudgetWindow[]
  /** Another hold of the wallet, in which the amount is set free together with this hold, or not at all. */
  readonly from?: LargerHold
  /** Another process than the one that takes the hold sends its checkpoints. Absent: this process. */
  readonly owner?: HoldOwner
  /** True when the id is a new UUID of version 7 that no other hold has or will have, so that nobody needs to look for it. */
  readonly isUnique?: boolean
}

/** A hold for several requests, such as those of a batch. */
export interface LargerHold {
  /** UUID. */
  readonly holdId: string
  /** What it keeps; when it has less, that remains. So a repetition sets nothing free twice. */
  readonly keepNano: bigint
}

export interface HoldOwner {
  /** UUID. */
  readonly ownerId: string
  /** Milliseconds from now until the hold may be closed without a checkpoint. */
  readonly keepMs: number
}

export interface Checkpoint {
  readonly billingId: string
  /** The cost of the request so far, ≥ 0. */
  readonly costNano: bigint
}

/** The row that the log gets for an exchange, so that a row that never arrives is noticed. */
export interface LogRow {
  /** UUID of the request. */
  readonly requestId: string
  /** The day (UTC) on which the row expires, `YYYY-MM-DD`. */
  readonly expiresOn: string
}

/** What a request without a row of its own is charged by: its process holds for it in memory, out of a block. */
export interface EscrowHold {
  readonly blockId: string
  readonly holdNano: bigint
  readonly kind: string
  readonly model: string
  readonly priceVersion: string
  readonly labels?: UsageLabels
  /**
   * `block`: it is charged to the block, and never gets a row. `row`: a row was asked for, and it is not known whether
   * there is one; it is never charged to the block. So no request is charged in both places.
   */
  readonly path: 'block' | 'row'
}

/** The end of a request: `posted` charges the real cost, `voided` charges nothing. */
export interface Closing {
  readonly billingId: string
  readonly workspaceId: string
  /** The real cost of the request, ≥ 0; 0 when voided. */
  readonly costNano: bigint
  readonly outcome: 'posted' | 'voided'
  /** Null or absent when the exchange is not logged. */
  readonly logRow?: LogRow | null
  /** Absent when they are not known. */
  readonly tokens?: ChargedTokens
  /** Absent for a request with a row of its own. */
  readonly escrow?: EscrowHold
}

export interface Settled {
  /** What the workspace pays: the real cost, but at most the hold. */
  readonly chargedNano: bigint
  /** False when the charge is stored outside the database and will be committed as soon as the database answers. */
  readonly committed: boolean
}

/** The money of a request: it is held before the provider is called, and settled before the last byte is sent. */
export interface Ledger {
  /**
   * Reserves the maximum cost. Call the provider only on `held`.
   *
   * @throws LedgerUnavailable when the database did not answer in time, or other processes did not give back in time what
   *   they hold of the wallet; nothing remains held
   * @throws RangeError when the hold is malformed
   */
  hold(hold: Hold): Promise<HoldOutcome>
  /** Records the cost so far, which is charged if this process dies. Returns at once. */
  checkpoint(checkpoint: Checkpoint): void
  /**
   * Charges the real cost; a repetition changes nothing. Waits a limited time for the database, and does not reject
   * when the database is unavailable.
   */
  settle(settle: Omit<Closing, 'outcome' | 'escrow'>): Promise<Settled>
  /**
   * Releases the hold without a charge. Waits a limited time and does not reject. The request must not be settled
   * afterwards: a hold out of a block leaves nothing that could be charged.
   */
  release(billingId: string, workspaceId: string): Promise<void>
  /** Resolves when all earlier settles and releases are committed or stored outside the database. */
  flush(): Promise<void>
}

/** The database did not answer in time. If `uncertain`, the statement may still commit. */
export class LedgerUnavailable extends Error {
  override name = 'LedgerUnavailable'
  readonly uncertain: boolean

  constructor(message: string, options: { uncertain: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.uncertain = options.uncertain
  }
}

/** Events of the ledger for operators. Each kind is a counter. */
export type LedgerEvent =
  /** A settle arrived after its hold was orphaned. `chargedNano` is the difference, negative when paid back. */
  | { readonly kind: 'late_post'; readonly billingId: string; readonly chargedNano: bigint }
  /** A part of a cost that cannot be charged to anyone. */
  | { readonly kind: 'write_off'; readonly billingId: string; readonly amountNano: bigint }
  /** A hold was closed at its checkpoint because the process that owned it died. */
  | { readonly kind: 'orphaned_hold'; readonly billingId: string; readonly chargedNano: bigint }
  /** A block was closed because the process that owned it died. */
  | { readonly kind: 'orphaned_block'; readonly blockId: string }
  /** A settle of an id without a hold: the database lost its last commits. */
  | { readonly kind: 'unknown_request'; readonly billingId: string; readonly amountNano: bigint }
  /** A closing did not commit in time and was stored outside the database. */
  | { readonly kind: 'spill'; readonly billingId: string }
  /** A closing did not commit in time and is stored only in the memory of this process. */
  | { readonly kind: 'spill_failed'; readonly billingId: string }
  /** A closing that had to wait was committed. */
  | { readonly kind: 'replay'; readonly billingId: string }

export type OnLedgerEvent = (event: LedgerEvent) => void
