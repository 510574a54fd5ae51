import type { Pool } from '@ratchet/db/connect-pool'

/** Calls of all workspaces that a worker holds, or will have to at any moment. */
export async function countLiveCalls(pool: Pool): Promise<number> {
  return (await pool.query<{ live: number }>(liveStatement)).rows[0]?.live ?? 0
}

/** A call to a telephone takes no place while it waits for its turn at its number. */
const liveStatement = `
  SELECT count(*)::int AS live FROM call
  WHERE status IN ('dialing', 'ringing', 'in_progress') OR (status = 'queued' AND type = 'web')`
