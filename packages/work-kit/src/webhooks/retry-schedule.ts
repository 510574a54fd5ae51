import { backoff } from '@ratchet/service-kit/timing/backoff'

/** A message is retried for this long, hours. */
export const retryHours = 24

/**
 * A worker that took a message has this long to save the outcome, seconds. It is longer than an attempt may take; after
 * it the message is due again.
 */
export const claimSeconds = 60

/** @param attempts number of attempts so far, ≥ 1 @returns delay before the next attempt, milliseconds */
export function webhookRetryDelayMs(attempts: number): number {
  return backoff(attempts - 1, { firstMs: 10_000, maxMs: 3_600_000 })
}
