import type { UsageLabels } from '../ledger/ledger.ts'

/** Names a hold. Every call with the same id is about the same hold. */
export interface NamedHold {
  /** UUID. */
  readonly holdId: string
  readonly workspaceId: string
}

export interface JobHold extends NamedHold {
  /** UUID of the training job. */
  readonly jobId: string
  /** What the job may cost from now on, out of this hold, ≥ 0. */
  readonly amountNano: bigint
  readonly model: string
  /** What its charges are listed as. */
  readonly kind: 'training' | 'dedicated' | 'batch'
  readonly labels?: UsageLabels
}

/**
 * `held`: the hold has at least this amount. `refused`: the wallet does not cover it, and the hold is what it was before.
 * `busy`: the job has another open hold. `posted`: this hold was settled or released. `voided`: it was
 * released before it was taken, or was swept and charged afterwards. One that was only swept is taken again.
 */
export type JobHoldOutcome = 'held' | 'refused' | 'busy' | 'posted' | 'voided'

export interface JobCost extends NamedHold {
  /** Cost of the job since its creation, over all of its holds, ≥ 0. */
  readonly costNano: bigint
  /** Tokens that it is for; absent when they are not known. */
  readonly tokens?: bigint
}

/** A hold after a call that charges or ends it. */
export interface JobCharge {
  /** `posted`: settled or released. `voided`: swept, or released before it was taken. */
  readonly state: 'open' | 'posted' | 'voided'
  /** 0 unless it is open. */
  readonly heldNano: bigint
  /** What the job was charged since its creation. */
  readonly jobCostNano: bigint
  /** What this call charged. */
  readonly chargedNano: bigint
  /** Of the hold; `training` for one that was never taken. */
  readonly kind: JobHold['kind']
}

export interface OpenJobHold {
  readonly holdId: string
  readonly jobId: string
  readonly heldNano: bigint
  readonly jobCostNano: bigint
  readonly openedAt: Date
  readonly expiresAt: Date
}

/**
 * Holds of training jobs. They last longer than any process, so none owns them: a hold is open until it is settled or
 * released, and the sweep releases it when no call named it for a day.
 *
 * Costs are cumulative, so every call can be repeated, by any process: what was charged before is never charged again. A
 * job pays at most what its holds have taken. Its next hold is asked for after the answer about the one before.
 *
 * @throws LedgerUnavailable when the database did not answer in time; then the call is repeated
 */
export interface JobHolds {
  hold(hold: JobHold): Promise<{
    readonly outcome: JobHoldOutcome
    readonly heldNano: bigint
    readonly jobCostNano: bigint
  }>
  /** Charges the job up to this cost and keeps the rest of the hold; undefined for an unknown hold. */
  checkpoint(cost: JobCost): Promise<JobCharge | undefined>
  /** Charges the job up to this cost and releases the rest of the hold; undefined for an unknown hold. */
  settle(cost: JobCost): Promise<JobCharge | undefined>
  /** Releases the hold and charges nothing more. One that was never taken can no longer be taken. */
  release(hold: NamedHold): Promise<JobCharge>
  /** Keeps open holds for another day, and lists all open ones of the workspace, the oldest first, at most 1,000. */
  confirm(workspaceId: string, holdIds: readonly string[]): Promise<readonly OpenJobHold[]>
}
