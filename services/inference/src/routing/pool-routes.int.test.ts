import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { meanCpuMs } from '@ratchet/testing/cpu-time'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { pgSettings } from '../workspace-settings/pg-settings.ts'
import type { KnownRoutes } from '../workspace-settings/settings-store.ts'
import { createPgPoolUses } from './pg-pool-uses.ts'
import { resolveModel } from './resolve-model.ts'

/* A workspace with a thousand versions on a hundred engines. */

const versionCount = 1_000
const replicaCount = 100

let database: FreshDatabase
let operator: Pool
let pool: Pool
const workspaceId = randomUUID()
const nameOf = (index: number) => `ft:acme/base:team:v${index}:${index}`

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 2 })
  await operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [workspaceId])
  await operator.query(
    `WITH made AS (
       INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, rewarded, manifest, sha256, bytes, created_by,
         created_at)
       SELECT gen_random_uuid(), $1, 'ft:acme/base:team:v' || n || ':' || n, 'acme/base', 'import', false, '[]', '', 0, $1, now()
       FROM generate_series(0, $2 - 1) AS n RETURNING id
     )
     INSERT INTO pool_version (version_id, workspace_id, base_model, adapter, state, requested_at, requested_by)
     SELECT id, $1, 'acme/base', 'mv_' || id, 'ready', now(), $1 FROM made`,
    [workspaceId, versionCount],
  )
  await operator.query(
    `INSERT INTO pool_replica (name, base_model, address, state, since)
     SELECT 'pool-' || n, 'acme/base', 'http://10.0.0.' || n || ':8000', 'ready', now() FROM generate_series(0, $1 - 1) AS n`,
    [replicaCount],
  )
  // Two engines each.
  await operator.query(
    `INSERT INTO pool_adapter (replica, version_id, workspace_id, adapter, state, since)
     SELECT 'pool-' || (p.n + c * 50) % $1, p.version_id, p.workspace_id, p.adapter, 'ready', now()
     FROM (SELECT *, row_number() OVER () AS n FROM pool_version) p, generate_series(0, 1) AS c`,
    [replicaCount],
  )
  await operator.query('INSERT INTO version_revision VALUES ($1, 1)', [workspaceId])
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

const read = async (known: ReadonlyMap<string, KnownRoutes>) => {
  const stored = (await pgSettings(pool).read([workspaceId], known)).get(workspaceId)
  if (stored === undefined) throw new Error('no settings')
  return stored
}

it('has all of them with their engines, and reads none again without a change', async () => {
  const first = await read(new Map())
  expect(first.versions.size).toBe(versionCount)
  expect(first.versions.get(nameOf(7))?.pool?.addresses).toHaveLength(2)
  expect((await read(new Map([[workspaceId, first]]))).versions).toBe(first.versions)
  // An engine that is lost takes its routes with it.
  await operator.query(`UPDATE pool_replica SET state = 'starting' WHERE name = 'pool-3'`)
  await operator.query('UPDATE version_revision SET revision = revision + 1 WHERE workspace_id = $1', [workspaceId])
  const second = await read(new Map([[workspaceId, first]]))
  const addresses = [...second.versions.values()].flatMap((version) => version.pool?.addresses ?? [])
  expect(addresses).toHaveLength(2 * versionCount - (2 * versionCount) / replicaCount)
  expect(addresses).not.toContain('http://10.0.0.3:8000')
  await operator.query(`UPDATE pool_replica SET state = 'ready' WHERE name = 'pool-3'`)
})

it('finds one in a few microseconds, and a request without versions pays nothing for them', async () => {
  const { versions } = await read(new Map())
  const catalog = catalogOf([modelEntry('acme/base')])
  const configuredProviders = new Set(['acme'])
  const of = (name: string, known: typeof versions) => () =>
    resolveModel({ catalog, configuredProviders, versions: known, dedicated: new Map(), name })
  expect(of(nameOf(500), versions)()).toMatchObject({ kind: 'found', model: { id: nameOf(500) } })
  const pooledMs = meanCpuMs(of(nameOf(500), versions))
  const plainMs = meanCpuMs(of('acme/base', new Map()))
  expect(pooledMs).toBeLessThan(0.05)
  expect(plainMs).toBeLessThan(0.02)
})

it('notes uses and finds engines of a version in one statement each', async () => {
  const uses = createPgPoolUses(pool)
  const { versions } = await read(new Map())
  const all = [...versions.values()].map(({ id: versionId }) => ({ versionId, workspaceId }))
  await uses.note(all)
  await uses.note(all)
  const { rows } = await operator.query('SELECT count(*)::int AS count FROM version_use')
  expect(rows).toEqual([{ count: versionCount }])
  expect(await uses.addresses(all[0] ?? { versionId: '', workspaceId })).toHaveLength(2)
  expect(await uses.addresses({ versionId: all[0]?.versionId ?? '', workspaceId: randomUUID() })).toEqual([])
  await uses.wake(all[0] ?? { versionId: '', workspaceId })
})
