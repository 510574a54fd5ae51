/**
 * What became of a hold: taken now, or what the ledger already knew of the id, or not covered by the wallet, or by the
 * wallet but not by the cap.
 */
export type HoldOutcome = 'held' | 'open' | 'posted' | 'voided' | 'refused' | 'capped'

/** A window in which a workspace's calls may cost so much in all, whatever its wallet has. */
export interface SpendCap {
  /** UUID, unique within the workspace. */
  readonly id: string
  /** A hold counts in the window it names, also when it is settled in a later one. */
  readonly windowStart: Date
  /** What holds and costs of the window may come to, ≥ 0; 0 for any amount. May differ from hold to hold. */
  readonly capNano: bigint
}

export interface Hold {
  /** UUID; one request, or every request of one claim of an idempotency key. */
  readonly billingId: string
  readonly workspaceId: string
  /** The most the request can cost, ≥ 0. */
  readonly amountNano: bigint
  readonly kind: string
  readonly model: string
  /** The prices that `amountNano` was counted with, and that the charge will be. */
  readonly priceVersion: string
  /** Taken together with the wallet, or neither is. */
  readonly cap?: SpendCap
}

export interface Checkpoint {
  readonly billingId: string
  /** What the request cost so far, ≥ 0. */
  readonly costNano: bigint
}

/** The end of a request: `posted` charges the real cost, `voided` charges nothing. */
export interface Closing {
  readonly billingId: string
  readonly workspaceId: string
  /** What the request really cost, ≥ 0; 0 when voided. */
  readonly costNano: bigint
  readonly outcome: 'posted' | 'voided'
}

export interface Settled {
  /** What the workspace pays: the real cost, but never more than the hold. */
  readonly chargedNano: bigint
  /** False: the charge is kept safe and will be made as soon as the database answers. */
  readonly committed: boolean
}

/** The money side of a request: hold before the provider is called, settle before the last byte leaves. */
export interface Ledger {
  /**
   * Reserves the worst case. Call the provider only on `held`.
   *
   * @throws LedgerUnavailable when the database did not answer in time; nothing stays held.
   * @throws RangeError when the hold is malformed.
   */
  hold(hold: Hold): Promise<HoldOutcome>
  /** Notes the cost so far, which is charged should this process die. Returns at once. */
  checkpoint(checkpoint: Checkpoint): void
  /**
   * Charges the real cost; repeating it changes nothing. Waits a bounded time for the database, and
   * does not reject for want of one.
   */
  settle(settle: Omit<Closing, 'outcome'>): Promise<Settled>
  /** Gives the hold back and charges nothing. Waits a bounded time, and does not reject. */
  release(billingId: string, workspaceId: string): Promise<void>
  /** Resolves when everything handed over so far is committed or kept safe. */
  flush(): Promise<void>
}

/** The database did not take a statement in time. `uncertain`: it may still, after the fact. */
export class LedgerUnavailable extends Error {
  override name = 'LedgerUnavailable'
  readonly uncertain: boolean

  constructor(message: string, options: { uncertain: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.uncertain = options.uncertain
  }
}

/** What the ledger tells its operators. Each kind is a counter. */
export type LedgerEvent =
  /** A settle came after its hold was given up. `chargedNano` is the difference, negative when paid back. */
  | { readonly kind: 'late_post'; readonly billingId: string; readonly chargedNano: bigint }
  /** A cost beyond what could be charged; nobody pays it. */
  | { readonly kind: 'write_off'; readonly billingId: string; readonly amountNano: bigint }
  /** A hold was given up at its checkpoint because its owner was gone. */
  | { readonly kind: 'orphaned_hold'; readonly billingId: string; readonly chargedNano: bigint }
  /** A settle of an id without a hold: the database lost its last commits. */
  | { readonly kind: 'unknown_request'; readonly billingId: string; readonly amountNano: bigint }
  /** A closing did not commit in time and was kept safe. */
  | { readonly kind: 'spill'; readonly billingId: string }
  /** A closing did not commit in time and is kept in this process only. */
  | { readonly kind: 'spill_failed'; readonly billingId: string }
  /** A closing that had to wait was committed. */
  | { readonly kind: 'replay'; readonly billingId: string }

export type OnLedgerEvent = (event: LedgerEvent) => void
