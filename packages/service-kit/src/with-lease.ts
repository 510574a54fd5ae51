import { FleetCallError } from './fleet-client.ts'
import { repeatEvery } from './repeat-every.ts'

/** Rows that one process at a time works on: whoever takes one on leases it, and a lease that ends frees it. */
export interface Leases<Leased> {
  /** Takes a row on until the lease ends; null when it is done, not due, or somebody else has it. */
  lease(id: string, leaseMs: number): Promise<Leased | null>
  /** Makes the lease end later. */
  renew(leased: NoInfer<Leased>, leaseMs: number): Promise<unknown>
}

/** Not now, such as for want of money: the work is tried again later, and this was no attempt. */
export class WorkPostponed extends Error {
  override name = 'WorkPostponed'
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.delayMs = delayMs
  }
}

/** Failures after which work is given up. */
export const maxFailures = 5

/** What becomes of a row of work that could not be done. */
export interface RetryDecision {
  readonly kind: 'postponed' | 'retried' | 'poisoned'
  readonly error: string
  /** Until it is tried again, milliseconds. */
  readonly delayMs: number
}

/**
 * What becomes of work that failed: tried again after two seconds and then twice as long each time, at most two minutes;
 * given up after five failures. What is postponed did not fail, and neither did what another service of the fleet refused
 * because of who asked: that is a matter of this process's keys and clock, and another one may do the work.
 *
 * @param failures how often it failed before
 */
export function decideRetry(cause: unknown, failures: number): RetryDecision {
  const error = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof WorkPostponed) return { kind: 'postponed', error, delayMs: cause.delayMs }
  if (cause instanceof FleetCallError && isOfTheCaller(cause)) {
    return { kind: 'postponed', error, delayMs: refusedDelayMs }
  }
  const delayMs = Math.min(2_000 * 2 ** failures, 120_000)
  return { kind: failures + 1 >= maxFailures ? 'poisoned' : 'retried', error, delayMs }
}

/** How long work waits for a process that the fleet knows, milliseconds. */
const refusedDelayMs = 2_000

function isOfTheCaller({ status }: FleetCallError): boolean {
  return status === 401 || status === 403
}

/** How long work waits whose process is gone, milliseconds; a process that lives renews its leases. */
const leaseMs = 30_000
const renewEveryMs = 10_000

/**
 * Does work on a row while it is leased. May be called twice for one row, at the same time too: one of the calls does it.
 *
 * @returns what was leased, once the work is over; null when there was nothing to do
 */
export async function withLease<Leased>(
  leases: Leases<Leased>,
  id: string,
  work: (leased: Leased) => Promise<void>,
): Promise<Leased | null> {
  const leased = await leases.lease(id, leaseMs)
  if (leased === null) return null
  const stopRenewing = repeatEvery({
    everyMs: renewEveryMs,
    work: () => leases.renew(leased, leaseMs),
    // What is not renewed is done by two, and kept once.
    onError: () => undefined,
  })
  try {
    await work(leased)
    return leased
  } finally {
    void stopRenewing()
  }
}
