import type { Pool } from '@ratchet/db/connect-pool'

export type Partitions = ReturnType<typeof createPartitions>

/** Creates partitions of the log, one per day of expiry. Remembers the days that exist, so that each is checked once. */
export function createPartitions(pool: Pick<Pool, 'query'>) {
  const ensured = new Set<string>()
  return {
    /** Creates missing partitions. @throws Error of Postgres 22023 for a day that is over or too far in the future */
    async ensure(days: Iterable<string>): Promise<void> {
      for (const day of new Set(days)) {
        if (ensured.has(day)) continue
        await pool.query('SELECT ensure_exchange_partition($1::date)', [day])
        ensured.add(day)
      }
    },
    /** Makes `ensure` check every day again, because a partition may have been dropped. */
    reset: () => ensured.clear(),
  }
}
