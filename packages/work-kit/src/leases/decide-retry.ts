import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { backoff } from '@ratchet/service-kit/timing/backoff'

/** Thrown when work cannot be done now, such as for lack of credit. It is retried later and does not count as a failure. */
export class WorkPostponed extends Error {
  override name = 'WorkPostponed'
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.delayMs = delayMs
  }
}

/** Failures after which an item is dead-lettered. */
const maxFailures = 5
/** Delay after the first failure of an item, and the longest delay, milliseconds. */
const retryDelays = { firstMs: 2_000, maxMs: 120_000 }
/** Delay after a rejected identity, milliseconds. */
const refusedDelayMs = 2_000

/** Whether and when work that could not be done is retried. */
export interface RetryDecision {
  readonly kind: 'postponed' | 'retried' | 'dead_lettered'
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
  const delayMs = backoff(failures, retryDelays)
  return { kind: failures + 1 >= maxFailures ? 'dead_lettered' : 'retried', error, delayMs }
}

function isOfTheCaller({ status }: FleetCallError): boolean {
  return status === 401 || status === 403
}

/** Failures of a run in a row after which it fails. */
const maxRunFailures = 5

/**
 * Decides about a failed step of a run: it is retried after two seconds, then after two seconds more each time.
 *
 * @param attempts number of attempts since the run last advanced, this one included
 * @returns milliseconds; null when the run fails
 */
export function runRetryDelayMs(attempts: number): number | null {
  return attempts < maxRunFailures ? 2_000 * attempts : null
}
