import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { KeyChanges } from './key-lease.ts'
import type { LeaseStore } from './lease-store.ts'

/** Commits synchronously: a lease that a crash forgets would not be waited for. */
const joinStatement = {
  name: 'edge-join-lease',
  text: `INSERT INTO edge_lease (id, timeline, acked_version, renewed_at)
         SELECT $1, current_timeline(), coalesce(max(version), 0), now() FROM key_change
         RETURNING acked_version::float8 AS version, NULL AS "oldestVersion", '{}'::uuid[] AS "userIds"`,
} as const

/** Does not wait for the disk: a renewal that a crash forgets only makes others wait longer. */
const renewStatement = {
  name: 'edge-renew-lease',
  text: `WITH commits_later AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
         renewed AS (
           UPDATE edge_lease SET acked_version = $2, renewals = renewals + 1, renewed_at = now() FROM commits_later
           WHERE id = $1 AND timeline = current_timeline() RETURNING id
         )
         SELECT coalesce(max(version), 0)::float8 AS version, min(version)::float8 AS "oldestVersion",
           coalesce(array_agg(user_id) FILTER (WHERE version > $2), '{}') AS "userIds"
         FROM key_change HAVING EXISTS (SELECT 1 FROM renewed)`,
} as const

const leaveStatement = { name: 'edge-leave-lease', text: 'DELETE FROM edge_lease WHERE id = $1' } as const

/**
 * Leases in Postgres, over one connection, which also listens for changes.
 *
 * @param pool of one connection, with timeouts
 * @param onChange called when keys were changed, or may have been because the connection broke
 */
export function pgLeaseStore(pool: Pool, onChange: () => void): LeaseStore & { close(): void } {
  let open: PoolClient | undefined
  let isClosed = false
  const released = new WeakSet<PoolClient>()

  async function listen(): Promise<PoolClient> {
    const client = await pool.connect()
    client.on('notification', onChange)
    client.on('error', (error) => {
      discard(client, error)
      if (!isClosed) onChange()
    })
    try {
      await client.query('LISTEN ratchet_key_change')
    } catch (error) {
      discard(client, error)
      throw error
    }
    open = client
    return client
  }

  function discard(client: PoolClient, error: unknown): void {
    if (open === client) open = undefined
    client.removeAllListeners('notification')
    if (released.has(client)) return
    released.add(client)
    client.release(error instanceof Error ? error : true)
  }
  /** After any failure the state of the connection is unknown, so the next statement gets another one. */
  async function run<Row extends object>(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<Row | null> {
    const client = open ?? (await listen())
    try {
      const { rows } = await client.query<Row>({ ...statement, values: [...values] })
      return rows[0] ?? null
    } catch (error) {
      discard(client, error)
      throw error
    }
  }

  return {
    async join(leaseId) {
      const joined = await run<KeyChanges>(joinStatement, [leaseId])
      if (joined === null) throw new Error('the database returned no row')
      return joined
    },
    renew: (leaseId, ackedVersion) => run<KeyChanges>(renewStatement, [leaseId, ackedVersion]),
    leave: async (leaseId) => void (await run(leaveStatement, [leaseId])),
    close() {
      isClosed = true
      if (open !== undefined) discard(open, null)
    },
  }
}
