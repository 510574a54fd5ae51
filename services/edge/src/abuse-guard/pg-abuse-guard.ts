import type { Pool } from '@ratchet/db/connect-pool'
import type { AbuseGuardStore } from './abuse-guard-store.ts'

/** Serialises the calls of one workspace until the transaction ends; other workspaces do not wait. */
const lockWorkspace = 'SELECT pg_advisory_xact_lock($1, hashtext($2))'
/** First key of the advisory lock. It separates the guard's locks from all others. */
const lockSpace = 0x61627573

/** Runs under the lock, so that its snapshot contains all admitted calls. It uses the database's clock. */
const admitCall = `
  WITH clock AS MATERIALIZED (
    SELECT clock_timestamp() AS now, $3 * interval '1 second' AS span,
           coalesce((SELECT calls FROM workspace_guard_limit WHERE workspace_id = $1), $2) AS calls
  ),
  forgotten AS (
    DELETE FROM abuse_guard_hit USING clock WHERE workspace_id = $1 AND at <= clock.now - clock.span
  ),
  recent AS (
    SELECT at FROM abuse_guard_hit, clock WHERE workspace_id = $1 AND at > clock.now - clock.span
  ),
  admitted AS (
    INSERT INTO abuse_guard_hit (workspace_id, at)
    SELECT $1, clock.now FROM clock WHERE (SELECT count(*) FROM recent) < clock.calls RETURNING 1
  )
  SELECT EXISTS (SELECT FROM admitted) AS admitted, (SELECT calls FROM clock) AS calls,
         (SELECT extract(epoch FROM at + clock.span - clock.now)::float8
          FROM recent, clock ORDER BY at DESC OFFSET (SELECT calls FROM clock) - 1 LIMIT 1) AS wait`

/** An abuse guard in Postgres, exact over all edge processes. */
export function pgAbuseGuard(pool: Pool): AbuseGuardStore {
  return {
    async admit(workspaceId, { calls, windowSeconds }) {
      const { admitted, wait, ...limit } = await inTransaction(pool, async (query) => {
        await query(lockWorkspace, [lockSpace, workspaceId])
        return query(admitCall, [workspaceId, calls, windowSeconds])
      })
      if (admitted === true) return { kind: 'admitted' }
      return {
        kind: 'refused',
        calls: typeof limit.calls === 'number' ? limit.calls : calls,
        retryAfterSeconds: typeof wait === 'number' ? wait : windowSeconds,
      }
    },
    async prune(windowSeconds) {
      await pool.query(`DELETE FROM abuse_guard_hit WHERE at < now() - $1 * interval '1 second'`, [windowSeconds])
    },
  }
}

type Row = Readonly<Record<string, unknown>>
type Query = (text: string, values: readonly unknown[]) => Promise<Row>

async function inTransaction(pool: Pool, work: (query: Query) => Promise<Row>): Promise<Row> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const result = await work(async (text, values) => (await client.query<Row>(text, [...values])).rows[0] ?? {})
    await client.query('COMMIT')
    client.release()
    return result
  } catch (error) {
    // After a timeout the state of the connection is unknown. Closing it also ends the transaction.
    client.release(true)
    throw error
  }
}
