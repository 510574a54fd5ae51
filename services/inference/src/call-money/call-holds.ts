import type { SpendCap, UsageLabels } from '../ledger/ledger.ts'

export interface NamedCallHold {
  /** UUID. */
  readonly holdId: string
  readonly workspaceId: string
}

export interface CallHold extends NamedCallHold {
  /** UUID of the worker that sends checkpoints; null: nobody yet. */
  readonly ownerId: string | null
  /** ≥ 0. */
  readonly amountNano: bigint
  /** Milliseconds from now until it may be closed without a checkpoint. */
  readonly keepMs: number
  readonly model: string
  readonly labels: UsageLabels
  readonly cap: SpendCap | null
}

/**
 * `held`: it is held now, by this owner. `refused`: the wallet does not cover it. `capped`: the spend cap does not. `closed`: it was
 * settled, released, or closed because its worker died.
 */
export type CallHoldOutcome = 'held' | 'refused' | 'capped' | 'closed'

export interface CallCheckpoints {
  /** UUID. */
  readonly ownerId: string
  readonly keepMs: number
  readonly items: readonly (NamedCallHold & { readonly costNano: bigint })[]
}

/** What a request cost; null while it runs. */
export interface RequestCharge {
  readonly requestId: string
  readonly costNano: bigint | null
}

/**
 * Holds of slices of calls. Another process holds the call: its checkpoints keep its holds open, and tell what it has cost until
 * now. When they stop, the sweep charges the last one, as it does for requests.
 *
 * @throws LedgerUnavailable when the database did not answer in time; then the call is repeated
 */
export interface CallHolds {
  hold(hold: CallHold): Promise<CallHoldOutcome>
  checkpoint(checkpoints: CallCheckpoints): Promise<void>
  /** Charges a cost and releases the rest. @returns what the hold was charged, also by an earlier settle */
  settle(hold: NamedCallHold & { readonly costNano: bigint }): Promise<bigint>
  /** Releases the hold. @returns what it was charged: 0 unless it was settled before */
  release(hold: NamedCallHold): Promise<bigint>
  /** Those of the workspace that the ledger knows. */
  charges(workspaceId: string, requestIds: readonly string[]): Promise<readonly RequestCharge[]>
}
