import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { abuseGuardContract } from './abuse-guard.contract.ts'
import { pgAbuseGuard } from './pg-abuse-guard.ts'

let database: FreshDatabase
let superuser: Pool
let pools: Pool[]

beforeAll(async () => {
  database = await freshDatabase()
  superuser = connectPool({ databaseUrl: database.url, max: 1 })
  pools = Array.from({ length: 8 }, () => connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 1 }))
})

afterAll(async () => {
  await Promise.all([superuser, ...pools].map((pool) => pool.end()))
  await database.drop()
})

abuseGuardContract(() => ({
  store: pgAbuseGuard(pools[0] as Pool),
  // The store uses the database's clock, so this makes its rows older instead.
  pass: async (seconds) => {
    await superuser.query(`UPDATE abuse_guard_hit SET at = at - $1 * interval '1 second'`, [seconds])
  },
  held: async (workspaceId) => {
    const { rows } = await superuser.query('SELECT count(*)::int AS n FROM abuse_guard_hit WHERE workspace_id = $1', [
      workspaceId,
    ])
    return rows[0].n
  },
  async allow(workspaceId, calls) {
    await superuser.query("INSERT INTO workspace VALUES ($1, $2, 'W', now())", [workspaceId, workspaceId])
    const settings = 'INSERT INTO workspace_settings (workspace_id, guarded_calls_per_minute) VALUES ($1, $2)'
    await superuser.query(settings, [workspaceId, calls])
  },
}))

it('does not exceed the limit when eight processes count at once', async () => {
  const guards = pools.map(pgAbuseGuard)
  for (let round = 0; round < 10; round++) {
    const workspaceId = randomUUID()
    const limit = { calls: 20, windowSeconds: 60 }
    const admissions = await Promise.all(
      Array.from({ length: 48 }, (_, i) => guards[i % guards.length]?.admit(workspaceId, limit)),
    )
    expect(admissions.filter((admission) => admission?.kind === 'admitted')).toHaveLength(20)
  }
})

it('does not make one workspace wait for another', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  const blocker = await (pools[0] as Pool).connect()
  try {
    await blocker.query('BEGIN')
    await blocker.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [0x61627573, first])
    const limit = { calls: 1, windowSeconds: 60 }
    await expect(pgAbuseGuard(pools[1] as Pool).admit(second, limit)).resolves.toEqual({ kind: 'admitted' })
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
})
