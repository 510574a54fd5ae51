import type { RetryDecision } from './decide-retry.ts'

/** The right to write to an item: a worker that lost its lease has an older generation, and its writes are ignored. */
export interface Lease {
  readonly id: string
  /** Fencing token: incremented by every lease of the row. */
  readonly generation: number
}

/** A work item that this process has leased. */
export interface LeasedItem extends Lease {
  /** Failed attempts so far. */
  readonly failures: number
}

/** How many rows a process takes, and of which workspaces. */
export interface Share {
  readonly limit: number
  /** The workspace of each row that the process has in progress. */
  readonly inProgress: readonly string[]
  /** Maximum rows of one workspace that the process has in progress. */
  readonly maxOfWorkspace: number
}

/** Work items that one worker at a time processes. */
export interface ItemStore<Item extends LeasedItem> {
  /** Leases an item. Null when it is finished, not due, leased by another worker, or must not be processed now. */
  lease(id: string, leaseMs: number): Promise<Item | null>
  /** Leases due items, those first whose workspace has the fewest in progress here. */
  take(share: Share, leaseMs: number): Promise<readonly Item[]>
  /** Extends the lease. False when it was lost. */
  renew(item: Lease, leaseMs: number): Promise<boolean>
  /** Returns the lease after a failed attempt, to retry the item later or to dead-letter it. */
  release(item: Lease, decision: RetryDecision): Promise<void>
  /** Ids of items that are due and that no worker holds, the longest due first. */
  overdue(limit: number): Promise<readonly string[]>
}
