import { testNow } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { aliasedApp, fails } from '../request/aliased-app.fixture.ts'
import { testWorkspaceId } from '../request/request-records.fixture.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import type { DedicatedRoute } from './dedicated-route.ts'
import { createTrafficCounts } from './traffic.ts'

const name = 'dedicated/support-k3m7q2'
const messages = [{ role: 'user', content: 'Hi' }]
const ask = { model: name, messages, max_tokens: 10 }
const ready = [{ id: 'r1', address: 'http://127.0.0.1:1' }]

const route: DedicatedRoute = {
  id: '00000000-0000-4000-8000-0000000000e1',
  name,
  baseModel: 'acme/fast',
  servedAs: 'acme/fast',
  state: 'RUNNING',
  replicas: ready,
  targetConcurrency: 2,
  maxContextLength: 4_096,
  priceNanoPerHour: 3_600_000_000n,
  startMs: 42_000,
  createdAt: testNow(),
}

interface World {
  /** The endpoint at each moment at which a request looks, 0 being its arrival; the last one stays. */
  readonly routes?: readonly Partial<DedicatedRoute>[]
  readonly settings?: Partial<WorkspaceSettings>
  readonly scripts?: Parameters<typeof aliasedApp>[0]['scripts']
}

function appOf({ routes = [{}], settings = {}, scripts = {} }: World) {
  let clock = 0
  let looks = 0
  let reports = 0
  const traffic = createTrafficCounts(testNow)
  const present = (): WorkspaceSettings => {
    const changes = routes[Math.min(routes.length - 1, Math.floor(clock / 100))]
    return {
      ...defaultSettings,
      loggingEnabled: true,
      ...settings,
      dedicated: new Map([[name, { ...route, ...changes }]]),
    }
  }
  const dedicated = {
    traffic,
    report: () => {
      reports += 1
    },
    pause: async (ms: number) => {
      clock += ms
      looks += 1
    },
    clockMs: () => clock,
  }
  const catalog = catalogOf([modelEntry('acme/fast'), modelEntry('acme/new')])
  const app = aliasedApp({ routes: [], scripts, changes: { dedicated, catalog, settings: { of: present } } })
  return { ...app, traffic, waited: () => clock, reported: () => reports, looks: () => looks }
}

it('answers at no cost, is never logged, and counts what it did', async () => {
  const app = appOf({})
  const { status, headers } = await app.send(ask)
  expect(status).toBe(200)
  expect(headers).toMatchObject({ 'x-svc-served-model': name, 'x-svc-logged': 'off; endpoint', 'x-svc-cache': 'off' })
  expect(Number(headers['x-svc-cost-usd'])).toBe(0)
  const { traffic, minutes } = app.traffic.take()
  expect(traffic).toMatchObject([{ endpointId: route.id, running: 0, waiting: 0 }])
  expect(minutes).toMatchObject([{ requests: 1, errors: 0, tokens: 7, waits: {} }])
})

it('needs no credit', async () => {
  const app = appOf({})
  const { body } = await app.send({ ...ask, max_tokens: 4_000, n: 8 })
  expect(body.error).toBeUndefined()
})

it('counts an answer that failed', async () => {
  const app = appOf({ scripts: { [name]: fails } })
  expect((await app.send(ask)).status).toBe(502)
  expect(app.traffic.take().minutes).toMatchObject([{ requests: 1, errors: 1 }])
})

it('wakes an endpoint that is scaled to zero, and waits for it', async () => {
  const asleep = { state: 'SCALED_TO_ZERO', replicas: [] } as const
  const app = appOf({ routes: [asleep, asleep, { state: 'STARTING', replicas: [] }, {}] })
  expect((await app.send(ask)).status).toBe(200)
  expect([app.waited(), app.reported()]).toEqual([300, 1])
  expect(app.traffic.take().minutes).toMatchObject([{ requests: 1, waits: { '17': 1 } }])
})

it('waits no longer than the client, and says how long a start takes', async () => {
  const app = appOf({ routes: [{ state: 'STARTING', replicas: [] }] })
  const { status, body, headers } = await app.send(ask, { 'X-Svc-Max-Wait': '2' })
  expect([status, body.error.code, headers['retry-after'], app.waited()]).toEqual([
    503,
    'endpoint_starting',
    '42',
    2_000,
  ])
  const usual = appOf({ routes: [{ state: 'STARTING', replicas: [], startMs: null }] })
  const answer = await usual.send(ask)
  expect([answer.status, answer.headers['retry-after'], usual.waited()]).toEqual([503, '30', 60_000])
  expect(usual.traffic.of(route.id)).toMatchObject({ running: 0, waiting: 0 })
})

it.each(['601', '-1', '1.5', 'soon'])('refuses to wait for %s', async (header) => {
  const { status, body } = await appOf({}).send(ask, { 'X-Svc-Max-Wait': header })
  expect([status, body.error.param]).toEqual([400, 'X-Svc-Max-Wait'])
})

it.each(['STOPPED', 'STOPPING', 'FAILED'] as const)('does not wait for one that is %s', async (state) => {
  const app = appOf({ routes: [{ state, replicas: [] }] })
  const { status, body } = await app.send(ask)
  expect([status, body.error.code, app.waited()]).toEqual([503, 'no_capacity', 0])
})

it('falls back only to models that the request names', async () => {
  const stopped = [{ state: 'STOPPED', replicas: [] }] as const
  const app = appOf({ routes: stopped, settings: { fallbackModels: ['acme/new'] } })
  expect((await app.send(ask)).status).toBe(503)
  const failing = appOf({ scripts: { [name]: fails }, settings: { fallbackModels: ['acme/new'] } })
  expect((await failing.send(ask)).status).toBe(502)
  const named = appOf({ scripts: { [name]: fails } })
  const { status, headers } = await named.send({ models: [name, 'acme/new'], messages, max_tokens: 10 })
  expect([status, headers['x-svc-served-model'], headers['x-svc-fallback-from']]).toEqual([200, 'acme/new', name])
})

it('is never a fallback of the workspace', async () => {
  const app = appOf({ scripts: { 'acme/fast': fails }, settings: { fallbackModels: [name] } })
  expect((await app.send({ ...ask, model: 'acme/fast' })).status).toBe(502)
  expect(app.called).toEqual(['acme/fast'])
})

it('refuses more than may wait', async () => {
  const app = appOf({})
  const visits = Array.from({ length: 11 }, () => app.traffic.enter({ id: route.id, workspaceId: 'w' }))
  for (const visit of visits) visit.started(0)
  const full = await app.send(ask)
  expect([full.status, full.body.error.code, full.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '1'])
  visits[0]?.ended({ isAnswered: true, tokens: 0, ttftMs: null })
  expect((await app.send(ask)).status).toBe(200)
})

describe('very many requests that wait', () => {
  const starting = [{ state: 'STARTING', replicas: [], targetConcurrency: 1_024 }] as const
  const wait = (app: ReturnType<typeof appOf>, count: number) => {
    const workspaceId = testWorkspaceId
    for (let index = 0; index < count; index += 1) app.traffic.enter({ id: `e${index % 3}`, workspaceId })
  }

  it('look less often, so that others are answered', async () => {
    const app = appOf({ routes: starting })
    wait(app, 999)
    await app.send(ask, { 'X-Svc-Max-Wait': '2' })
    expect([app.waited(), app.looks()]).toEqual([2_000, 4])
  })

  it('are refused, at whatever endpoints of a workspace', async () => {
    const app = appOf({ routes: starting })
    wait(app, 2_000)
    const { status, body } = await app.send(ask, { 'X-Svc-Max-Wait': '2' })
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    const ready = appOf({})
    wait(ready, 2_000)
    expect((await ready.send(ask)).status).toBe(200)
  })
})

it('does not exist in other workspaces', async () => {
  const { status, body } = await appOf({}).send({ ...ask, model: 'dedicated/other' })
  expect([status, body.error.code]).toEqual([404, 'dedicated_endpoint_not_found'])
})
