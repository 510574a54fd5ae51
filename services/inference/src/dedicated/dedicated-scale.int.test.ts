import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { meanCpuMs } from '@ratchet/testing/cpu-time'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { chooseDeployment } from '../routing/choose-deployment.ts'
import { resolveModel } from '../routing/resolve-model.ts'
import type { Provider } from '../wire/provider.ts'
import { pgSettings } from '../workspace-settings/pg-settings.ts'
import type { KnownRoutes } from '../workspace-settings/settings-store.ts'
import { createReplicaDeployments } from './replica-deployments.ts'

/* A workspace with fifty endpoints, a hundred replicas, and a thousand versions under names of their own. */

const endpoints = 50
const replicasOfEach = 2
const adaptersOfEach = 20

let database: FreshDatabase
let operator: Pool
let pool: Pool
const workspaceId = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 2 })
  await operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [workspaceId])
  await operator.query(
    `INSERT INTO dedicated_endpoint (id, workspace_id, name, routing_key, base_model, hardware, price_nano_per_hour, min_replicas,
       max_replicas, scale_up_window_s, scale_down_window_s, target_concurrency, max_context_length, precision, draining_s, metadata,
       request, state, state_at, created_by, created_at, max_adapters)
     SELECT gen_random_uuid(), $1, 'e' || n, 'endpoint-' || n, 'acme/base', 'a100', 1, 1, 16, 30, 600, 8, 4096, 'auto', 600, '{}', '{}',
       'RUNNING', now(), $1, now(), 20 FROM generate_series(0, $2 - 1) AS n`,
    [workspaceId, endpoints],
  )
  await operator.query(
    `INSERT INTO replica (id, endpoint_id, workspace_id, hardware, price_nano_per_hour, state, address, created_at, ready_at)
     SELECT gen_random_uuid(), e.id, e.workspace_id, 'a100', 1, 'ready', 'http://10.0.' || e.name || '.' || n || ':8000', now(), now()
     FROM dedicated_endpoint e, generate_series(0, $1 - 1) AS n`,
    [replicasOfEach],
  )
  await operator.query(
    `INSERT INTO dedicated_adapter (routing_key, endpoint_id, workspace_id, version_id, adapter, created_at)
     SELECT e.routing_key || '-' || n, e.id, e.workspace_id, gen_random_uuid(), 'mv_' || e.routing_key || n, now()
     FROM dedicated_endpoint e, generate_series(0, $1 - 1) AS n`,
    [adaptersOfEach],
  )
  await operator.query(
    `INSERT INTO replica_adapter (replica_id, version_id, endpoint_id, workspace_id, adapter, state, since)
     SELECT r.id, a.version_id, a.endpoint_id, a.workspace_id, a.adapter, 'ready', now()
     FROM dedicated_adapter a JOIN replica r ON r.endpoint_id = a.endpoint_id`,
  )
  await operator.query('ANALYZE')
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

const read = async (known: ReadonlyMap<string, KnownRoutes> = new Map()) => {
  const stored = (await pgSettings(pool).read([workspaceId], known)).get(workspaceId)
  if (stored === undefined) throw new Error('no settings')
  return stored
}

it('reads all names with their replicas in a fraction of the second that requests wait for settings', async () => {
  const startedMs = performance.now()
  const { dedicated } = await read()
  const readMs = performance.now() - startedMs
  expect(dedicated.size).toBe(endpoints * (1 + adaptersOfEach))
  expect(dedicated.get('dedicated/endpoint-7-3')?.replicas).toHaveLength(replicasOfEach)
  expect(readMs).toBeLessThan(500)
})

it('reads none again without a change', async () => {
  const first = await read()
  expect((await read(new Map([[workspaceId, first]]))).dedicated).toBe(first.dedicated)
})

it('finds a name and its least busy replica in a few microseconds', async () => {
  const { dedicated } = await read()
  const catalog = catalogOf([modelEntry('acme/base')])
  const name = 'dedicated/endpoint-7-3'
  const request = { catalog, configuredProviders: new Set<string>(), versions: new Map(), dedicated, name }
  expect(resolveModel(request)).toMatchObject({ kind: 'found', model: { upstreamModel: 'mv_endpoint-73' } })
  expect(meanCpuMs(() => resolveModel(request))).toBeLessThan(0.05)
  const replicas = createReplicaDeployments({
    createProvider: () => ({ provider: {} as Provider, close() {} }),
    clockMs: () => 0,
    random: () => 0,
    onEjected() {},
  })
  for (const route of dedicated.values()) replicas.of(route)
  const route = dedicated.get(name)
  if (route === undefined) throw new Error('no route')
  const choose = () => chooseDeployment(replicas.of(route).deployments, { tried: new Set(), unit: 0.5 })
  expect(choose()).toMatchObject({ upstreamModel: 'mv_endpoint-73' })
  expect(meanCpuMs(choose)).toBeLessThan(0.05)
  expect(meanCpuMs(() => replicas.running(route.id))).toBeLessThan(0.5)
})
