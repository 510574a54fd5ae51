import type { Pool } from '@ratchet/db/connect-pool'
import { readStreamState, type WatchedRedis } from '../capture/watch-stream.ts'
import { type Reconciliation, reconcileCharges } from './pg-reconciliation.ts'

export interface ComparisonOptions {
  readonly pool: Pool
  readonly redis: WatchedRedis
  readonly now: () => Date
  readonly onResult: (result: Reconciliation) => void
  /** Milliseconds that an exchange may take from its charge to the log while nothing waits in Redis. */
  readonly delayMs?: number
}

/**
 * Compares all charges with the log whose exchanges must have arrived: older than what waits in Redis, and than exchanges
 * take otherwise. An exchange that inference holds back because no transport takes it counts as missing, and may arrive.
 *
 * @throws Error while Postgres or Redis is unavailable
 */
export async function compareWithCharges(options: ComparisonOptions): Promise<void> {
  const { pool, redis, now, onResult, delayMs = 120_000 } = options
  const { oldestAtMs } = await readStreamState(redis)
  const before = new Date(Math.min(now().getTime(), oldestAtMs ?? Number.POSITIVE_INFINITY) - delayMs)
  for (;;) {
    const result = await reconcileCharges(pool, before)
    if (result === null) return
    onResult(result)
    if (!result.isBehind) return
  }
}
