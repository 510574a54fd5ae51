import { FleetCallError } from './fleet-client.ts'
import { repeatEvery } from './repeat-every.ts'

/** Rows that one process at a time works on: a worker leases a row, and the row is free again when the lease ends. */
export interface Leases<Leased> {
  /** Leases a row; null when it is done, not due, or leased by another worker. */
  lease(id: string, leaseMs: number): Promise<Leased | null>
  /** Extends the lease. */
  renew(leased: NoInfer<Leased>, leaseMs: number): Promise<unknown>
}

/** Thrown when work cannot be done now, such as for lack of credit. It is retried later and does not count as a failure. */
export class WorkPostponed extends Error {
  override name = 'WorkPostponed'
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.delayMs = delayMs
  }
}

/** Failures after which work is dead-lettered. */
export const maxFailures = 5

/** Whether and when work that could not be done is retried. */
export interface RetryDecision {
  readonly kind: 'postponed' | 'retried' | 'poisoned'
  readonly error: string
  /** Delay before the next attempt, milliseconds. */
  readonly delayMs: number
}

/**
 * Decides about failed work: it is retried after two seconds, then after twice as long each time, at most two minutes, and
 * dead-lettered after five failures. Postponed work did not fail. Neither did work for which another service rejected the
 * caller's identity: this process may have old keys or a wrong clock, and another process may succeed.
 *
 * @param failures number of earlier failures
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

/** Delay after a rejected identity, milliseconds. */
const refusedDelayMs = 2_000

function isOfTheCaller({ status }: FleetCallError): boolean {
  return status === 401 || status === 403
}

/** Length of a lease, milliseconds. A running process renews its leases; the work of a dead one waits this long. */
const leaseMs = 30_000
const renewEveryMs = 10_000

/**
 * Runs work on a row while the row is leased. Of several calls for one row, also concurrent ones, one does the work.
 *
 * @returns the leased row after the work; null when there was nothing to do
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
