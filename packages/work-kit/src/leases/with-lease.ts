import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'

/** Rows that one worker at a time works on. A row is free again when its lease ends. */
export interface Leases<Leased> {
  /** Leases a row. Null when it is finished, not due, or leased by another worker. */
  lease(id: string, leaseMs: number): Promise<Leased | null>
  /** Extends the lease. */
  renew(leased: NoInfer<Leased>, leaseMs: number): Promise<unknown>
}

/** Length of a lease, milliseconds. A running process renews its leases; the work of a dead one waits this long. */
export const leaseMs = 30_000
const renewEveryMs = 10_000

/**
 * Runs work on a row while the row is leased. Of several calls for one row, also concurrent ones, one does the work.
 *
 * @param row the id of a row, or a row that this process has just leased
 * @returns the leased row after the work; null when there was nothing to do
 */
export async function withLease<Leased extends object>(
  leases: Leases<Leased>,
  row: string | Leased,
  work: (leased: Leased) => Promise<void>,
): Promise<Leased | null> {
  const leased = typeof row === 'string' ? await leases.lease(row, leaseMs) : row
  if (leased === null) return null
  const stopRenewing = repeatEvery({
    everyMs: renewEveryMs,
    work: () => leases.renew(leased, leaseMs),
    // Without renewal two workers may do the work, but the fencing token lets only one store its result.
    onError: () => undefined,
  })
  try {
    await work(leased)
    return leased
  } finally {
    void stopRenewing()
  }
}
