import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { meanCpuMs } from '@ratchet/testing/cpu-time'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgPool } from './pg-pool.ts'
import { planPool } from './plan-pool.ts'

/* A thousand versions of fifty workspaces on a hundred engines. */

const versionCount = 1_000
const replicaCount = 100

let database: FreshDatabase
let operator: Pool
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 4 })
  await operator.query(
    `WITH w AS (SELECT n, gen_random_uuid() AS id FROM generate_series(0, 49) AS n), made AS (
       INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, rewarded, manifest, sha256, bytes, created_by,
         created_at)
       SELECT gen_random_uuid(), w.id, 'ft:' || v, 'acme/base', 'import', false, '[]', '', 0, w.id, now()
       FROM generate_series(0, $1 - 1) AS v JOIN w ON w.n = v % 50 RETURNING id, workspace_id
     )
     INSERT INTO pool_version (version_id, workspace_id, base_model, adapter, state, requested_at, requested_by)
     SELECT id, workspace_id, 'acme/base', 'mv_' || id, 'loading', now(), workspace_id FROM made`,
    [versionCount],
  )
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

it('places them all, serves them, and takes the routes of an engine that is lost', async () => {
  const store = createPgPool(pool)
  expect(await store.takeLease(randomUUID(), 60_000)).toBe(true)
  expect(await store.takeLease(randomUUID(), 60_000)).toBe(false)
  for (let index = 0; index < replicaCount; index += 1) {
    await store.addReplica({ name: `pool-${index}`, baseModel: 'acme/base' })
    await store.startReplica(`pool-${index}`, `http://10.0.0.${index}:8000`, [])
  }
  const before = await store.read()
  const now = new Date()
  const pooled = { replicas: before.replicas, versions: before.versions, maxAdapters: 16, copies: 2, now }
  expect(meanCpuMs(() => planPool(pooled))).toBeLessThan(200)
  const { loads } = planPool(pooled)
  for (const place of loads) {
    await store.load(place)
    await store.prove(place, `http://10.0.0.${place.replica.slice('pool-'.length)}:8000`)
  }
  const routes = 'SELECT sum(jsonb_array_length(addresses))::int AS count FROM version_route'
  expect((await operator.query(routes)).rows).toEqual([{ count: loads.length }])
  const revisions = 'SELECT sum(revision)::int AS sum FROM version_revision'
  const raised = (await operator.query(revisions)).rows[0]?.sum
  await store.loseReplica('pool-7')
  const lost = loads.filter(({ replica }) => replica === 'pool-7')
  expect((await operator.query(routes)).rows).toEqual([{ count: loads.length - lost.length }])
  // Each workspace that had a version there once, and no other.
  const workspaces = new Set(lost.map(({ version }) => version.workspaceId))
  expect((await operator.query(revisions)).rows[0]?.sum).toBe(raised + workspaces.size)
  const after = await store.read()
  const again = planPool({
    ...pooled,
    replicas: after.replicas.filter(({ state }) => state === 'ready'),
    now: new Date(),
  })
  expect(again.leaves).toEqual([])
  expect(again.loads.length).toBeGreaterThan(0)
}, 60_000)
