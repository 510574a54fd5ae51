import { ioFor, type Ran, runEndpointCommand } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'

const path = '/v1/dedicated/endpoints'
const id = 'dep_01980000000070008000000000000001'
let api: ScriptedApi

beforeEach(async () => {
  api = await startScriptedApi()
})
afterEach(() => api.stop())

const run = (line: string): Promise<Ran> => runEndpointCommand(ioFor(api), line)

const at = '2026-12-01T12:00:00.000Z'
const endpoint = (changes: object = {}) => ({
  id,
  object: 'dedicated.endpoint',
  name: 'Support',
  routing_key: 'support-k3m7q2',
  model_id: 'dedicated/support-k3m7q2',
  model: 'sim/small',
  model_version_id: null,
  hardware: 'sim-1x',
  state: 'RUNNING',
  status_message: null,
  last_error: null,
  routes: [
    {
      routing_key: 'support-k3m7q2',
      model_id: 'dedicated/support-k3m7q2',
      model_version_id: null,
      fingerprint_ok: true,
    },
    {
      routing_key: 'sales-a2b3c4',
      model_id: 'dedicated/sales-a2b3c4',
      model_version_id: 'mv_1',
      fingerprint_ok: false,
    },
  ],
  max_adapters: 16,
  replicas: [{ id: 'rep_1', state: 'ready', hardware: 'sim-1x', created_at: at, ready_since: at, adapters_loaded: [] }],
  desired_replicas: 1,
  min_replicas: 0,
  max_replicas: 1,
  scale_to_zero_after_seconds: 3_600,
  scale_up_window_seconds: 30,
  scale_down_window_seconds: 600,
  target_concurrency: 8,
  max_context_length: 8_192,
  precision: 'auto',
  draining: 600,
  max_hourly_cost_usd: null,
  price_usd_per_hour: 0.6,
  spend: { hour_usd: 0.1, day_usd: 0.1, total_usd: 0.25 },
  held_usd: 0.1,
  requests: { running: 0, waiting: 0 },
  cold_start_ms: { p50: null, p95: null },
  last_request_at: null,
  metadata: {},
  created_by: 'u',
  created_at: at,
  ...changes,
})

it('creates an endpoint, and says how to use it', async () => {
  api.answers(`POST ${path}`, { status: 202, body: endpoint({ state: 'PENDING', replicas: [] }) })
  const { code, out, err } = await run(
    'create --name Support --model sim/small --hardware sim-1x --max 2 --adapter mv_1 mv_2',
  )
  expect([code, out]).toEqual([0, `${id}\n`])
  expect(err).toContain('`dedicated/support-k3m7q2`')
  expect(api.seen[0]?.body).toMatchObject({
    maxReplicas: 2,
    adapters: [{ modelVersionId: 'mv_1' }, { modelVersionId: 'mv_2' }],
  })
})

it('watches until it runs', async () => {
  api.answers(`GET ${path}/${id}`, { body: endpoint() })
  const { code, out } = await run(`watch ${id}`)
  expect(code).toBe(0)
  expect(out).toMatch(/state +RUNNING[\s\S]*model +dedicated\/support-k3m7q2[\s\S]*\$0\.2500 in all/)
  expect(out).toMatch(/adapter +dedicated\/sales-a2b3c4: not proven/)
})

it('fails for one that has failed, and says why', async () => {
  const failed = { state: 'FAILED', status_message: 'Its replicas ended.', last_error: 'Its engine exited.' }
  api.answers(`GET ${path}/${id}`, { body: endpoint(failed) })
  const { code, out } = await run(`watch ${id}`)
  expect(code).toBe(1)
  expect(out).toMatch(/FAILED: Its replicas ended\.[\s\S]*last error +Its engine exited\./)
})

it('lists, stops and deletes', async () => {
  api.answers(`GET ${path}`, { body: [endpoint()] })
  api.answers(`POST ${path}/${id}/stop`, { body: endpoint({ state: 'STOPPING' }) })
  api.answers(`DELETE ${path}/${id}`, { body: { id, deleted: true } })
  expect((await run('list')).out).toContain('1 ready')
  expect((await run(`stop ${id}`)).out).toBe('STOPPING\n')
  expect((await run(`delete ${id}`)).out).toBe('deleted\n')
  expect((await run('stop job_1')).err).toContain('Expected an id')
})
