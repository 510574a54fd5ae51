import type { Pool } from '@ratchet/db/connect-pool'

/** The days for which there is a place to store exchanges. */
export interface Partitions {
  /** Makes what is missing. @throws Error of Postgres 22023 for a day that is over, or too far away */
  ensure(days: Iterable<string>): Promise<void>
  /** Looks again next time: somebody may have dropped one. */
  forget(): void
}

/** Each is asked for once by a process. */
export function createPartitions(pool: Pick<Pool, 'query'>): Partitions {
  const ensured = new Set<string>()
  return {
    async ensure(days) {
      for (const day of new Set(days)) {
        if (ensured.has(day)) continue
        await pool.query('SELECT ensure_exchange_partition($1::date)', [day])
        ensured.add(day)
      }
    },
    forget: () => ensured.clear(),
  }
}

/** The day, in UTC, of whose rows one that expires at this moment is: `2026-11-21`. */
export function expiryDay(expiresAt: Date): string {
  return expiresAt.toISOString().slice(0, 10)
}
