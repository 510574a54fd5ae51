import type { Reconciliation } from './reconciliation.ts'

export interface ComparisonOptions {
  /** Compares the next charges before a time with the log; null while another process does. */
  readonly reconcile: (before: Date) => Promise<Reconciliation | null>
  /** When the oldest exchange that waits in Redis arrived there, in milliseconds of Unix time; null for none. */
  readonly readOldestAtMs: () => Promise<number | null>
  readonly now: () => Date
  readonly onResult: (result: Reconciliation) => void
}

/** Milliseconds that an exchange may take from its charge to the log while nothing else waits in Redis. */
const delayMs = 120_000
/** Calls of `reconcile` in one comparison; the next comparison continues, so that a stop of the process does not wait. */
const maxPages = 20

/**
 * Compares all charges with the log whose exchanges must have arrived: older than what waits in Redis, and than exchanges
 * take otherwise. An exchange that inference holds back because no transport takes it counts as missing, and may arrive.
 *
 * @throws Error while Postgres or Redis is unavailable
 */
export async function compareWithCharges(options: ComparisonOptions): Promise<void> {
  const { reconcile, readOldestAtMs, now, onResult } = options
  const oldestAtMs = await readOldestAtMs()
  const before = new Date(Math.min(now().getTime(), oldestAtMs ?? Number.POSITIVE_INFINITY) - delayMs)
  for (let page = 0; page < maxPages; page++) {
    const result = await reconcile(before)
    if (result === null) return
    onResult(result)
    if (!result.isBehind) return
  }
}
