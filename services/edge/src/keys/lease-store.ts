import type { KeyChanges } from './key-lease.ts'

/** Stores the leases of edges. Each call fails within a second when the store does not answer. */
export interface LeaseStore {
  /** Creates a lease that has applied all changes so far. */
  join(leaseId: string): Promise<KeyChanges>
  /** Acknowledges a version and returns what changed since; null: the lease does not exist any more. */
  renew(leaseId: string, ackedVersion: number): Promise<KeyChanges | null>
  leave(leaseId: string): Promise<void>
}
