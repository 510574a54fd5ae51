import { randomBytes, randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { anything } from '@ratchet/testing/routes-of'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { small } from '../jobs/job-app.fixture.ts'
import type { StoredVersion } from '../versions/model-version.ts'
import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'
import type { Hardware } from './hardware.ts'
import { dedicatedRoutes } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let run: DedicatedRun
let app: ReturnType<typeof testApp>
let availableNano = 0n
const workspaceId = randomUUID()
const versionId = randomUUID()
const version = {
  ...anything<StoredVersion>(),
  id: versionId,
  baseModel: small.id,
  sha256: 'abcdef0123',
  adapterRank: 8 as number | null,
  status: 'candidate' as const,
}

const machine = (id: string, more: Partial<Hardware> = {}): Hardware => ({
  id,
  gpu: 'A100',
  gpuCount: 1,
  gpuMemoryGb: 80,
  priceNanoPerHour: 2_800_000_000n,
  slots: 2,
  models: null,
  maxContext: 800,
  maxAdapters: 2,
  ...more,
})

beforeAll(async () => {
  run = await dedicatedRun()
  const now = () => new Date()
  app = testApp({
    audience: 'training',
    now,
    requestId: randomUUID,
    routes: (router) =>
      dedicatedRoutes(router, {
        endpoints: run.endpoints,
        metrics: run.metrics,
        hardware: [machine('a100-1x'), machine('none', { slots: 0 }), machine('other', { models: new Set(['x/y']) })],
        models: { list: async () => [small] },
        versions: { get: async ({ id }) => (id === versionId ? version : null) },
        availableNano: async () => availableNano,
        newId: randomUUID,
        randomBytes,
      }),
  })
})
afterAll(() => run.drop())
beforeEach(() => {
  availableNano = 100_000_000_000n
})

async function ask(
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  body?: object,
  headers = {},
): Promise<Json> {
  const full = `/v1/dedicated/${path}`
  const by = await app.headersFor(method.toUpperCase(), full, workspaceId)
  const call = request(app.app)
    [method](full)
    .set({ ...by, ...headers })
  return await (body === undefined ? call : call.send(body))
}

const order = { name: 'Support', model: small.id, hardware: 'a100-1x' }
const create = async (more: object = {}, headers = {}) => await ask('post', 'endpoints', { ...order, ...more }, headers)

it('creates an endpoint once for a key', async () => {
  const headers = { 'idempotency-key': 'once' }
  const { status, body } = await create({ metadata: { team_a: 'b' } }, headers)
  expect(status).toBe(202)
  expect(body).toMatchObject({
    object: 'dedicated.endpoint',
    state: 'PENDING',
    model_id: expect.stringMatching(/^dedicated\/support-[a-z2-7]{6}$/),
    price_usd_per_hour: 2.8,
    max_context_length: 800,
    metadata: { team_a: 'b' },
    spend: { hour_usd: 0, day_usd: 0, total_usd: 0 },
    replicas: [],
  })
  const again = await create({ metadata: { team_a: 'b' } }, headers)
  expect([again.body.id, again.headers['idempotent-replay']]).toEqual([body.id, 'true'])
  expect((await create({ name: 'Other' }, headers)).body.error.code).toBe('idempotency_conflict')
  await ask('delete', `endpoints/${body.id}`)
  await run.pass(2)
  expect((await create({ metadata: { team_a: 'b' } }, headers)).body.error.code).toBe('conflict')
})

it.each([[{ minReplicas: 3, max_replicas: 2 }], [{ minReplicas: 1, min_replicas: 0 }]])(
  'answers %j flatly',
  async (more) => {
    const { status, body } = await create(more)
    expect([status, body]).toEqual([400, { error: expect.any(String) }])
  },
)

it.each([
  [{ model: 'no/such' }, 404, 'model_not_found', 'model'],
  [{ model: undefined, modelVersionId: 'mv_1' }, 404, 'not_found', 'modelVersionId'],
  [{ hardware: 'no-such' }, 400, 'invalid_request', 'hardware'],
  [{ hardware: 'other' }, 400, 'invalid_request', 'hardware'],
  [{ hardware: 'none' }, 503, 'no_capacity', 'hardware'],
  [{ maxContextLength: 2_000 }, 400, 'invalid_request', 'maxContextLength'],
  [{ scale_to_zero_after_seconds: 10 }, 400, 'invalid_request', 'scale_to_zero_after_seconds'],
  [{ unknown: 1 }, 400, 'unknown_parameter', 'unknown'],
])('refuses %j', async (more, status, code, param) => {
  const { status: actual, body } = await create(more)
  expect([actual, body.error.code, body.error.param]).toEqual([status, code, param])
})

it('serves a version with an adapter', async () => {
  const modelVersionId = publicId('modelVersion', versionId)
  const { status, body } = await create({ model: undefined, modelVersionId })
  expect([status, body.model, body.model_version_id]).toEqual([202, small.id, modelVersionId])
  const [route] = await run.rows(`SELECT served_as FROM dedicated_route WHERE served_as LIKE 'mv_%'`)
  expect(route.served_as).toBe(`mv_${versionId.replaceAll('-', '')}-abcdef01`)
  expect((await create({ modelVersionId })).body.error.param).toBe('model')
  expect((await create({ model: undefined })).body.error.param).toBe('model')
  expect((await create({ model: undefined, modelVersionId: 'mv_1' })).status).toBe(404)
  version.adapterRank = null
  expect((await create({ model: undefined, modelVersionId })).body.error.param).toBe('modelVersionId')
})

describe('adapters', () => {
  const modelVersionId = publicId('modelVersion', versionId)
  beforeEach(() => {
    Object.assign(version, { adapterRank: 8, baseModel: small.id, name: 'ft:small:acme:parcels:k3m7q2xa' })
  })

  it('have names of their own', async () => {
    const { status, body } = await create({ adapters: [{ modelVersionId }] })
    expect([status, body.max_adapters]).toEqual([202, 2])
    const [own, other] = body.routes
    expect(own).toEqual({
      routing_key: body.routing_key,
      model_id: body.model_id,
      model_version_id: null,
      fingerprint_ok: null,
    })
    expect(other).toMatchObject({ model_version_id: modelVersionId, fingerprint_ok: null })
    expect(other.model_id).toMatch(/^dedicated\/parcels-[a-z2-7]{6}$/)
    const kept = await ask('patch', `endpoints/${body.id}`, { adapters: [{ model_version_id: modelVersionId }] })
    expect(kept.body.routes).toEqual(body.routes)
    const named = [{ modelVersionId, routingKey: 'all-parcels' }]
    const renamed = await ask('patch', `endpoints/${body.id}`, { adapters: named })
    expect(renamed.body.routes[1].model_id).toBe('dedicated/all-parcels')
    expect((await ask('patch', `endpoints/${body.id}`, { adapters: [] })).body.routes).toEqual([own])
    const again = await ask('patch', `endpoints/${body.id}`, { adapters: named })
    expect([again.status, again.body.error.code, again.body.error.param]).toEqual([409, 'conflict', 'adapters'])
    const elsewhere = await create({ adapters: named })
    expect([elsewhere.status, elsewhere.body.error.code]).toEqual([409, 'conflict'])
  })

  it.each([
    [[{ modelVersionId: 'mv_1' }], {}, 404, 'not_found'],
    [[{ modelVersionId }], { baseModel: 'x/y' }, 400, 'incompatible_adapter'],
    [[{ modelVersionId }], { adapterRank: null }, 400, 'invalid_request'],
    [[{ modelVersionId }, { modelVersionId }], {}, 400, 'invalid_request'],
    [[{ modelVersionId, routingKey: 'A b' }], {}, 400, 'invalid_request'],
    [['1', '2', '3'].map((id) => ({ modelVersionId: id })), {}, 400, 'invalid_request'],
  ])('refuses %j of a version with %j', async (adapters, changes, status, code) => {
    Object.assign(version, changes)
    const { status: actual, body } = await create({ adapters })
    expect([actual, body.error.code]).toEqual([status, code])
  })

  it('are refused by the field that names an unknown version', async () => {
    const { body } = await create({ adapters: [{ modelVersionId }, { modelVersionId: 'mv_1' }] })
    expect(body.error.param).toBe('adapters.1.modelVersionId')
  })

  it('are not added to an endpoint whose engines take none', async () => {
    const { id } = (await create()).body
    const { status, body } = await ask('patch', `endpoints/${id}`, { adapters: [{ modelVersionId }] })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'immutable_parameter', 'adapters'])
    expect((await ask('patch', `endpoints/${id}`, { adapters: [] })).status).toBe(200)
  })
})

it('needs an hour of all replicas', async () => {
  availableNano = 5_599_999_999n
  const { status, body } = await create({ maxReplicas: 2 })
  expect([status, body.error.code]).toEqual([402, 'insufficient_balance'])
  availableNano = 5_600_000_000n
  expect((await create({ maxReplicas: 2 })).status).toBe(202)
})

it('changes what may be changed', async () => {
  const { id } = (await create()).body
  const changed = await ask('patch', `endpoints/${id}`, { maxReplicas: 3, scaleToZeroAfterSeconds: null, name: 'New' })
  expect(changed.body).toMatchObject({ max_replicas: 3, scale_to_zero_after_seconds: null, name: 'New' })
  for (const field of ['model', 'hardware', 'precision', 'max_context_length']) {
    const { status, body } = await ask('patch', `endpoints/${id}`, { [field]: 'x' })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'immutable_parameter', field])
  }
  expect((await ask('patch', `endpoints/${id}`, { minReplicas: 4 })).body).toEqual({ error: expect.any(String) })
})

it('stops, starts and deletes, and each may be repeated', async () => {
  const { id } = (await create()).body
  expect((await ask('post', `endpoints/${id}/start`)).body.state).toBe('PENDING')
  expect((await ask('post', `endpoints/${id}/stop`)).body.state).toBe('STOPPING')
  expect((await ask('post', `endpoints/${id}/start`)).body.error.code).toBe('conflict')
  await run.pass(2)
  expect((await ask('post', `endpoints/${id}/stop`)).body.state).toBe('STOPPED')
  availableNano = 0n
  expect((await ask('post', `endpoints/${id}/start`)).status).toBe(402)
  availableNano = 100_000_000_000n
  expect((await ask('post', `endpoints/${id}/start`)).body.state).toBe('PENDING')
  for (const _ of [1, 2]) expect((await ask('delete', `endpoints/${id}`)).body).toEqual({ id, deleted: true })
  await run.pass(2)
  expect((await ask('get', `endpoints/${id}`)).status).toBe(404)
  const listed = (await ask('get', 'endpoints')).body as Json[]
  expect(listed.map((each) => each.id)).not.toContain(id)
})

it('lists hardware, and whether a model runs on it', async () => {
  const { body } = await ask('get', `hardware?model=${encodeURIComponent(small.id)}`)
  expect(body).toMatchObject([
    { id: 'a100-1x', fits: true, max_context: 800, price_usd_per_hour: 2.8, price_usd_per_second: 0.000778 },
    { id: 'none', availability: 'none' },
    { id: 'other', fits: false, max_context: null },
  ])
  expect((await ask('get', 'hardware')).body[0]).toMatchObject({ fits: null, max_context: null })
  expect((await ask('get', 'hardware?model=no/such')).body.error.code).toBe('model_not_found')
})

it('shows events and metrics', async () => {
  const { id } = (await create()).body
  const { body } = await ask('get', `endpoints/${id}/events`)
  expect(body.data).toMatchObject([
    { object: 'dedicated.endpoint.event', type: 'state', state: 'PENDING', cost_usd: 0 },
  ])
  const metrics = (await ask('get', `endpoints/${id}/metrics?window=15m`)).body
  expect(metrics).toMatchObject({ window: '15m', requests: 0, queue_ms_p95: null, ttft_ms_p50: null, cost_usd: 0 })
  expect(metrics.replicas).toHaveLength(60)
})

it('is one of fifty of its workspace', async () => {
  let created = await create()
  while (created.status === 202) created = await create()
  expect([created.status, created.body.error.code]).toEqual([403, 'quota_exceeded'])
  expect((await ask('get', 'endpoints')).body).toHaveLength(50)
})
