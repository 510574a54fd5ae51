import { randomBytes } from 'node:crypto'
import type { EndpointCaller } from '@ratchet/contracts/endpoint'
import { endpoint } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { type Identity, identityHeader } from '@ratchet/contracts/identity'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import {
  deriveAudienceKey,
  deriveCallerKey,
  type IdentifiedRequest,
  type SigningKey,
  signIdentity,
  verifyIdentity,
} from '@ratchet/service-kit/identity/identity'
import request from 'supertest'
import { z } from 'zod'
import {
  extraEndpoints,
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
  workspaceId,
} from './edge.fixture.ts'
import { exchangeBytes, head } from './wire.fixture.ts'

/* The listener of the dashboard, and what the public one answers about endpoints for people. */

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const added = { summary: '', description: '', reply: z.unknown(), service: 'logging', audience: 'session' } as const
const people = [
  endpoint({ ...added, method: 'get', path: '/session/things', permission: 'any' }),
  endpoint({ ...added, method: 'post', path: '/session/grades', permission: 'grader', maxBodyBytes: 1_000 }),
  endpoint({ ...added, method: 'post', path: '/session/money', permission: 'owner', needsFreshSignIn: true }),
]

const userId = '00000000-0000-7000-8000-0000000000bb'
const sessionId = '00000000-0000-7000-8000-0000000000cc'
const requestId = '00000000-0000-7000-8000-0000000000dd'
const ann: Identity = {
  workspaceId,
  userId,
  role: 'owner',
  keyId: null,
  session: { id: sessionId, mayGrade: true, isFresh: true },
}

interface Running {
  readonly edge: TestEdge
  readonly service: ScriptedService
  readonly url: string
}

async function setUp(options: TestEdgeOptions = {}): Promise<Running> {
  const service = await startService((incoming, response) => {
    incoming.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers }))
    })
  })
  const edge = await startTestEdge({
    origin: service.origin,
    endpoints: extraEndpoints,
    sessionEndpoints: people,
    ...options,
  })
  stops.push(service.stop, edge.stop)
  return { edge, service, url: `http://127.0.0.1:${edge.sessionPort}` }
}

function keyOf({ edge }: Pick<Running, 'edge'>, caller: EndpointCaller = 'dashboard', audience = 'edge'): SigningKey {
  return { id: 'k1', caller, secret: deriveCallerKey(deriveAudienceKey(edge.masterSecret, audience), caller) }
}

const things = { audience: 'edge', requestId, method: 'GET', path: '/session/things' } as const

interface Signed {
  readonly running: Running
  readonly identity?: Identity
  readonly key?: SigningKey
  readonly bound?: IdentifiedRequest
  readonly nowMs?: number
}

function signed({ running, identity = ann, key = keyOf(running), bound = things, nowMs = Date.now() }: Signed) {
  return signIdentity(key, bound, identity, nowMs)
}

/** Sends a request as the dashboard does. */
function ask(running: Running, method: 'get' | 'post', path: string, identity = ann) {
  const bound = { audience: 'edge', requestId, method: method.toUpperCase(), path }
  return request(running.url)
    [method](path)
    .set('x-request-id', requestId)
    .set(identityHeader, signed({ running, identity, bound }))
}

it('forwards a request of a person, with the identity signed again for the service and the same request id', async () => {
  const running = await setUp()
  const { status, body, headers } = await ask(running, 'get', '/session/things?a=1')
  expect(status).toBe(200)
  expect(headers['x-request-id']).toBe(requestId)
  const key = { id: 'k1', secret: deriveAudienceKey(running.edge.masterSecret, 'logging') }
  const bound = { audience: 'logging', requestId, method: 'GET', path: '/session/things?a=1' }
  expect(verifyIdentity([key], bound, body.headers[identityHeader], Date.now())).toEqual({
    caller: 'edge',
    identity: ann,
  })
  expect(await running.edge.metric('ratchet_edge_spoofed_headers_total')).toMatch(/_total\S* 0$/m)
})

it('forwards public endpoints too, and a model id as the dashboard sent it', async () => {
  const running = await setUp()
  expect((await ask(running, 'get', '/v1/models/openai%2Fgpt-4o')).body).toMatchObject({
    url: '/v1/models/openai/gpt-4o',
  })
  expect((await ask(running, 'post', '/v1/owners')).status).toBe(200)
})

const forgeries: [string, (running: Running) => Record<string, string>][] = [
  ['an API key', ({ edge }) => ({ authorization: `Bearer ${edge.mint()}` })],
  ['nothing', () => ({})],
  [
    'another key',
    (running) => ({ [identityHeader]: signed({ running, key: { ...keyOf(running), secret: randomBytes(32) } }) }),
  ],
  [
    "the edge's own key",
    (running) => ({
      [identityHeader]: signed({
        running,
        key: { id: 'k1', secret: deriveAudienceKey(running.edge.masterSecret, 'edge') },
      }),
    }),
  ],
  [
    'the key of another caller',
    (running) => ({ [identityHeader]: signed({ running, key: keyOf(running, 'judging') }) }),
  ],
  [
    "the dashboard's key for another service",
    (running) => ({
      [identityHeader]: signed({ running, key: keyOf(running, 'dashboard', 'logging') }),
    }),
  ],
  [
    'another audience',
    (running) => ({ [identityHeader]: signed({ running, bound: { ...things, audience: 'logging' } }) }),
  ],
  [
    'the identity of a key',
    (running) => {
      const { session: _session, ...someone } = ann
      return { [identityHeader]: signed({ running, identity: { ...someone, keyId: userId } }) }
    },
  ],
  ['a purpose', (running) => ({ [identityHeader]: signed({ running, identity: { ...ann, purpose: 'judge' } }) })],
  [
    'another path',
    (running) => ({ [identityHeader]: signed({ running, bound: { ...things, path: '/session/money' } }) }),
  ],
  [
    'a query',
    (running) => ({ [identityHeader]: signed({ running, bound: { ...things, path: '/session/things?x=1' } }) }),
  ],
  ['another method', (running) => ({ [identityHeader]: signed({ running, bound: { ...things, method: 'POST' } }) })],
  [
    'another request',
    (running) => ({
      [identityHeader]: signed({ running, bound: { ...things, requestId: '00000000-0000-7000-8000-0000000000ee' } }),
    }),
  ],
  ['a time that is over', (running) => ({ [identityHeader]: signed({ running, nowMs: Date.now() - 36_000 }) })],
  [
    'a header that is there twice',
    (running) => ({ [identityHeader]: `${signed({ running })}, ${signed({ running })}` }),
  ],
]

it.each(forgeries)('answers 401 to a request that is signed with %s', async (_what, headersOf) => {
  const running = await setUp()
  const answer = await request(running.url)
    .get('/session/things')
    .set({ 'x-request-id': requestId, ...headersOf(running) })
  expect(answer).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  expect(running.service.requests).toHaveLength(0)
  expect(await running.edge.metric('ratchet_edge_session_refusals_total')).toMatch(/_total\S* 1$/m)
})

it('accepts the keys of a rotation that is not over', async () => {
  const secrets = [randomBytes(32), randomBytes(32)] as const
  const sessionKeys = secrets.map((secret, i) => ({ id: `k${i}`, secret: deriveAudienceKey(secret, 'edge') }))
  const running = await setUp({ sessionKeys })
  for (const [i, secret] of secrets.entries()) {
    const key = {
      id: `k${i}`,
      caller: 'dashboard',
      secret: deriveCallerKey(deriveAudienceKey(secret, 'edge'), 'dashboard'),
    } as const
    const header = signed({ running, key })
    const asked = request(running.url)
      .get('/session/things')
      .set({ 'x-request-id': requestId, [identityHeader]: header })
    expect((await asked).status).toBe(200)
  }
})

const member = (session: Partial<Identity['session']>): Identity => ({
  ...ann,
  role: 'member',
  session: { id: sessionId, mayGrade: false, isFresh: false, ...session },
})

it.each([
  ['a member', '/session/grades', member({}), 403, 'insufficient_permissions'],
  ['a member who may grade', '/session/grades', member({ mayGrade: true }), 200, null],
  ['an admin', '/session/grades', { ...member({}), role: 'admin' }, 200, null],
  [
    'an admin who signed in just now',
    '/session/money',
    { ...member({ isFresh: true }), role: 'admin' },
    403,
    'insufficient_permissions',
  ],
  ['an owner', '/session/money', { ...member({}), role: 'owner' }, 403, 'fresh_sign_in_required'],
  ['an owner who signed in just now', '/session/money', ann, 200, null],
  ['a member', '/v1/things', member({}), 403, 'insufficient_permissions'],
] as const)('applies the permissions to %s at POST %s', async (_who, path, identity, status, code) => {
  const running = await setUp()
  const answer = await ask(running, 'post', path, identity)
  expect(answer.status).toBe(status)
  if (code !== null) expect(answer.body.error.code).toBe(code)
  expect(running.service.requests).toHaveLength(status === 200 ? 1 : 0)
})

it('counts guarded calls of people and of keys together', async () => {
  const running = await setUp()
  const key = running.edge.mint('owner')
  const byKey = () => request(`http://127.0.0.1:${running.edge.port}`).post('/v1/things').auth(key, { type: 'bearer' })
  for (let i = 0; i < 10; i++) {
    expect((await ask(running, 'post', '/v1/things')).status).toBe(200)
    expect((await byKey()).status).toBe(200)
  }
  expect(await ask(running, 'post', '/v1/things')).toMatchObject({
    status: 429,
    body: { error: { code: 'abuse_guard' } },
  })
  expect((await byKey()).status).toBe(429)
})

it('limits bodies, and refuses ambiguous requests, as the public listener does', async () => {
  const running = await setUp()
  const tooLarge = await ask(running, 'post', '/session/grades').send('x'.repeat(1_001))
  expect(tooLarge).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
  const twoHosts = await exchangeBytes(running.edge.sessionPort, head('GET /session/things', 'Host: a', 'Host: b'))
  expect(twoHosts.status).toBe(400)
})

it('has no pages and no probes', async () => {
  const { url } = await setUp()
  for (const path of ['/docs', '/v1/openapi.json', '/healthz', '/metrics']) {
    expect((await request(url).get(path)).status).toBe(401)
  }
})

describe('an endpoint for people at the public listener', () => {
  /** The bytes of an answer without its id. */
  async function answerTo({ edge }: Running, requestLine: string, ...lines: string[]) {
    const { status, headers, body } = await exchangeBytes(edge.port, head(requestLine, 'Host: any', ...lines))
    const { date: _date, 'x-request-id': id = '', ...others } = headers
    return { status, others, body: body.replaceAll(id, '') }
  }

  it.each(['without a dashboard', 'beside a dashboard'])('is an unknown URL, %s', async (where) => {
    const dashboard = await startService((_request, response) => response.end('the dashboard'))
    stops.push(dashboard.stop)
    const running = await setUp(where === 'beside a dashboard' ? { dashboardOrigin: dashboard.origin } : {})
    const auth = `Authorization: Bearer ${running.edge.mint()}`
    const nonsense = await answerTo(running, 'GET /v1/nonsense', auth)
    expect(nonsense).toMatchObject({ status: 404, body: expect.stringContaining('unknown_url') })
    const forged = [
      [auth],
      [auth, `X-Internal-Identity: ${signed({ running })}`, `X-Request-Id: ${requestId}`],
      [auth, `x_internal_identity: ${signed({ running })}`],
      [auth, 'Cookie: __Host-ratchet_session=a', 'Origin: http://any', 'Sec-Fetch-Site: same-origin'],
      [auth, 'X-Forwarded-For: 127.0.0.1', 'X-Original-Url: /session/things', 'X-Rewrite-Url: /session/things'],
    ]
    for (const lines of forged) {
      expect(await answerTo(running, 'GET /session/things', ...lines)).toEqual(nonsense)
      expect(await answerTo(running, 'GET /session/nonsense', ...lines)).toEqual(nonsense)
      expect(await answerTo(running, 'GET /session', ...lines)).toEqual(nonsense)
    }
    const withoutKey = await answerTo(running, 'GET /session/things', ...(forged[1] ?? []).slice(1))
    expect(withoutKey).toEqual(await answerTo(running, 'GET /v1/nonsense'))
    expect(withoutKey.status).toBe(401)
    expect(running.service.requests).toHaveLength(0)
    expect(dashboard.requests).toHaveLength(0)
  })

  it('is one for every endpoint of the contracts', async () => {
    const running = await setUp({ endpoints, sessionEndpoints })
    const key = running.edge.mint('owner')
    const url = `http://127.0.0.1:${running.edge.port}`
    for (const { method, path } of sessionEndpoints) {
      const answer = await request(url)[method](path.replaceAll(/:\w+/g, userId)).auth(key, { type: 'bearer' })
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'unknown_url' } } })
    }
    const published = await request(url).get('/v1/openapi.json')
    expect(published.text).not.toContain('/session/')
  })
})
