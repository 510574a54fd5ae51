import { identityHeader } from '@ratchet/contracts/identity'
import { deriveAudienceKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { recordingLogger } from '@ratchet/testing/recording-logger'
import request from 'supertest'
import {
  extraEndpoints,
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
  unknownKey,
  workspaceId,
} from './edge.fixture.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** An edge in front of a service that answers with what it received. */
async function setUp(
  options: TestEdgeOptions = {},
): Promise<{ edge: TestEdge; service: ScriptedService; url: string }> {
  const service = await startService((incoming, response) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (piece) => {
      body += piece
    })
    incoming.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers, body }))
    })
  })
  const edge = await startTestEdge({ origin: service.origin, endpoints: extraEndpoints, ...options })
  stops.push(service.stop, edge.stop)
  return { edge, service, url: `http://127.0.0.1:${edge.port}` }
}

const forwarders = [
  ['the dispatch forwarder', '/v1/owners', 'inference'],
  ['http-proxy-middleware', '/v1/things', 'logging'],
] as const

describe.each(forwarders)('through %s', (_name, path, service) => {
  it('forwards the body and the allow-listed headers, and nothing else', async () => {
    const { edge, url } = await setUp()
    const { status, body } = await request(url)
      .post(`${path}?a=%2F`)
      .auth(edge.mint(), { type: 'bearer' })
      .set({ accept: 'application/json', 'user-agent': 'test', 'x-svc-tag': 'a tag', 'X-Request-Id': 'mine' })
      .set({ 'x-internal-identity': 'forged', x_internal_role: 'owner', 'x-forwarded-for': '1.2.3.4', cookie: 'c' })
      .set({ connection: 'close, x-svc-other', 'x-svc-other': 'for this hop only', te: 'trailers' })
      .send({ hello: 'wörld' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ method: 'POST', url: `${path}?a=%2F`, body: '{"hello":"wörld"}' })
    const { [identityHeader]: _identity, host: _host, ...headers } = body.headers
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate',
      'content-type': 'application/json',
      'content-length': '18',
      'user-agent': 'test',
      'x-svc-tag': 'a tag',
      'x-request-id': '00000000-0000-7000-8000-000000000001',
      connection: 'keep-alive',
    })
    expect(await edge.metric('ratchet_edge_spoofed_headers_total')).toMatch(/_total\S* 2$/m)
  })

  it('forwards a chunked body', async () => {
    const { edge, url } = await setUp()
    const sending = request(url).post(path).auth(edge.mint(), { type: 'bearer' })
    sending.set('content-type', 'text/plain').set('transfer-encoding', 'chunked')
    sending.write('one ')
    sending.write('two')
    const { status, body } = await sending
    expect(status).toBe(200)
    expect(body).toMatchObject({ body: 'one two' })
  })

  it('signs an identity that is valid for this service and this request only', async () => {
    const clock = fixedClock()
    const { edge, url } = await setUp({ now: clock.now })
    const { body } = await request(url).post(`${path}?x=1`).auth(edge.mint('owner'), { type: 'bearer' })
    const keys = [{ id: 'k1', secret: deriveAudienceKey(edge.masterSecret, service) }]
    const bound = {
      audience: service,
      requestId: body.headers['x-request-id'],
      method: 'POST',
      path: `${path}?x=1`,
    }
    const nowMs = clock.now().getTime()
    const header = body.headers[identityHeader]
    expect(verifyIdentity(keys, bound, header, nowMs)).toMatchObject({
      caller: 'edge',
      identity: { workspaceId, role: 'owner' },
    })
    expect(verifyIdentity(keys, { ...bound, path: '/v1/owners' }, header, nowMs)).toBeNull()
    expect(verifyIdentity(keys, { ...bound, audience: 'other' }, header, nowMs)).toBeNull()
    expect(verifyIdentity(keys, bound, header, nowMs + 60_000)).toBeNull()
  })

  it('answers with the request id that it created, and with security headers', async () => {
    const { edge, url } = await setUp()
    const { headers } = await request(url).post(path).auth(edge.mint(), { type: 'bearer' })
    expect(headers).toMatchObject({
      'x-request-id': '00000000-0000-7000-8000-000000000001',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-type': 'application/json',
    })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('refuses a declared and a chunked body over the limit of the endpoint, and continues to read the rest', async () => {
    const { edge, url } = await setUp()
    const key = edge.mint()
    const declared = await request(url).post(path).auth(key, { type: 'bearer' }).send('x'.repeat(1_001))
    expect(declared).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
    const chunked = request(url).post(path).auth(key, { type: 'bearer' }).set('transfer-encoding', 'chunked')
    for (let i = 0; i < 100; i++) chunked.write('x'.repeat(1_000))
    expect(await chunked).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
    expect(await request(url).post(path).auth(key, { type: 'bearer' }).send('x'.repeat(1_000))).toMatchObject({
      status: 200,
    })
  })
})

it('leaves a compressed body to a service that accepts one, and counts its compressed bytes', async () => {
  const { edge, url } = await setUp({
    endpoints: extraEndpoints.map((endpoint) => ({ ...endpoint, maxGzippedBytes: 100 })),
  })
  const key = edge.mint()
  const post = () =>
    request(url).post('/v1/things').auth(key, { type: 'bearer' }).type('text/plain').set('content-encoding', 'gzip')
  const small = await post().send('x'.repeat(100))
  expect(small).toMatchObject({ status: 200, body: { headers: { 'content-encoding': 'gzip' } } })
  expect(small.body.body).toHaveLength(100)
  expect(await post().send('x'.repeat(101))).toMatchObject({ status: 413 })
  const chunked = post().set('transfer-encoding', 'chunked')
  for (let i = 0; i < 10; i++) chunked.write('x'.repeat(20))
  expect(await chunked).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
})

it('accepts compressed bodies for traces and calls of models only', async () => {
  const { edge, url } = await setUp()
  const post = (path: string) =>
    request(url).post(path).auth(edge.mint(), { type: 'bearer' }).set('content-encoding', 'gzip').send('{}')
  for (const path of ['/v1/traces', '/v1/otel/v1/traces']) expect(await post(path)).toMatchObject({ status: 200 })
  for (const path of ['/v1/criteria', '/v1/things', '/v1/traces-x']) {
    expect(await post(path)).toMatchObject({ status: 415, body: { error: { code: 'unsupported_media_type' } } })
  }
})

it('forwards a percent-encoded model id decoded, as the routes of the service expect it', async () => {
  const { edge, url } = await setUp()
  const { body } = await request(url).get('/v1/models/openai%2Fgpt-4o?x=%2F').auth(edge.mint(), { type: 'bearer' })
  expect(body).toMatchObject({ method: 'GET', url: '/v1/models/openai/gpt-4o?x=%2F' })
})

it.each([
  ['post', '/v1/responses'],
  ['get', '/v1/responses/resp_1'],
  ['delete', '/v1/responses/resp_1'],
  ['post', '/v1/responses/resp_1/cancel'],
  ['get', '/v1/responses/resp_1/input_items'],
  ['post', '/v1/messages'],
  ['post', '/v1/embeddings'],
  ['post', '/v1/rerank'],
  ['post', '/v2/rerank'],
  ['post', '/v1/moderations'],
  ['post', '/v1/images/generations'],
  ['post', '/v1/audio/speech'],
  ['post', '/v1/audio/transcriptions'],
] as const)('forwards %s %s to inference', async (method, path) => {
  const { edge, url } = await setUp()
  const { status, body } = await request(url)[method](path).auth(edge.mint(), { type: 'bearer' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ method: method.toUpperCase(), url: path, body: '' })
})

it('routes by path, and ignores the host', async () => {
  const { edge, url } = await setUp()
  const key = edge.mint()
  const answers = await Promise.all(
    ['gateway.example', 'legacy.example', 'localhost:1', '127.0.0.1'].map((host) =>
      request(url).get('/v1/models').set('host', host).auth(key, { type: 'bearer' }),
    ),
  )
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body.headers.host).toBe(answers[0]?.body.headers.host)
  }
})

it.each([
  ['member', 'post', '/v1/things', 403],
  ['admin', 'post', '/v1/things', 200],
  ['owner', 'post', '/v1/things', 200],
  ['member', 'get', '/v1/things/1', 200],
  ['member', 'delete', '/v1/things/1', 403],
  ['admin', 'post', '/v1/owners', 403],
  ['owner', 'post', '/v1/owners', 200],
  ['member', 'post', '/v1/chat/completions', 200],
] as const)('answers a key of a %s at %s %s with %i', async (role, method, path, status) => {
  const { edge, url, service } = await setUp()
  const answer = await request(url)[method](path).auth(edge.mint(role), { type: 'bearer' })
  expect(answer.status).toBe(status)
  expect(service.requests).toHaveLength(status === 200 ? 1 : 0)
  if (status === 403) {
    expect(answer.body.error).toMatchObject({ code: 'insufficient_permissions', type: 'invalid_request_error' })
    expect(answer.body.error.message).toMatch(/an owner.* of the workspace/)
  }
})

it('limits the guarded calls of a workspace, and no other calls', async () => {
  const { edge, url } = await setUp()
  const [one, other] = [edge.mint('owner'), edge.mint('admin')]
  const post = (key: string) => request(url).post('/v1/things').auth(key, { type: 'bearer' })
  for (let i = 0; i < 20; i++) expect((await post(i % 2 === 0 ? one : other)).status).toBe(200)
  const refused = await post(one)
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'abuse_guard', type: 'rate_limit_error' } } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await request(url).get('/v1/things/1').auth(one, { type: 'bearer' })).status).toBe(200)
})

it('does not count a call that is refused for its role', async () => {
  const admitted: string[] = []
  const store = {
    admit: async (id: string) => {
      admitted.push(id)
      return { kind: 'admitted' } as const
    },
    prune: async () => undefined,
  }
  const { edge, url } = await setUp({ abuseGuard: { store, limit: { calls: 1, windowSeconds: 1 } } })
  await request(url).post('/v1/things').auth(edge.mint('member'), { type: 'bearer' })
  await request(url).post('/v1/things').auth(edge.mint('admin'), { type: 'bearer' })
  expect(admitted).toEqual([workspaceId])
})

it('answers 503 when the store of the guard fails', async () => {
  const store = { admit: () => Promise.reject(new Error('down')), prune: async () => undefined }
  const { edge, url, service } = await setUp({ abuseGuard: { store, limit: { calls: 1, windowSeconds: 1 } } })
  const answer = await request(url).post('/v1/things').auth(edge.mint(), { type: 'bearer' })
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } })
  expect(answer.headers['retry-after']).toBe('1')
  expect(service.requests).toHaveLength(0)
})

it('accepts valid keys from an address that is limited', async () => {
  const { edge, url } = await setUp()
  const key = edge.mint()
  const statuses = new Set<number>()
  for (let i = 0; i < 60; i++) {
    statuses.add((await request(url).get('/v1/models').auth(unknownKey(), { type: 'bearer' })).status)
  }
  expect(statuses).toEqual(new Set([401, 429]))
  expect((await request(url).get('/v1/models').auth(key, { type: 'bearer' })).status).toBe(200)
})

it('records when a key was used', async () => {
  const noted: string[] = []
  const { edge, url } = await setUp({ keyUse: { note: (keyId) => noted.push(keyId) } })
  const key = edge.mint()
  await request(url).get('/v1/models').auth(key, { type: 'bearer' })
  await request(url).get('/v1/models').auth(unknownKey(), { type: 'bearer' })
  expect(noted).toEqual([[...edge.store.identities.values()].at(-1)?.keyId])
})

it('serves the OpenAPI document and its page without a key, under a strict content security policy', async () => {
  const { url } = await setUp()
  const description = await request(url).get('/v1/openapi.json')
  expect(description.status).toBe(200)
  expect(Object.keys(description.body.paths)).toContain('/v1/chat/completions')
  const page = await request(url).get('/docs')
  expect(page).toMatchObject({ status: 200, type: 'text/html' })
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self';/)
  expect(page.text).not.toMatch(/https?:|<script>|on\w+=/)
  const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset]) => asset as string)
  expect(assets.length).toBeGreaterThan(2)
  for (const asset of assets) expect((await request(url).get(asset)).status).toBe(200)
  expect(await request(url).get('/docs/')).toMatchObject({ status: 200, text: page.text })
  expect(await request(url).post('/docs')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
  expect((await request(url).get('/docs/package.json')).status).toBe(401)
})

it('answers probes and metrics without a key, and counts requests by pattern', async () => {
  const { edge, url } = await setUp()
  expect(await request(url).get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await request(url).get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready' } })
  await request(url).get('/v1/models/openai/gpt-4o').auth(edge.mint(), { type: 'bearer' })
  await request(url).get('/v1/models/secret-path')
  await eventually(async () => {
    const { text } = await request(url).get('/metrics')
    expect(text).toMatch(
      /request_duration_seconds_count\{[^}]*http_route="\/v1\/models\/\*id",http_response_status_code="200"/,
    )
    expect(text).not.toContain('secret-path')
  })
})

it('sends Connection: close while it drains, on forwarded answers too', async () => {
  const drain = createDrain()
  const now = () => new Date()
  const { edge, url } = await setUp({ health: { drain, checks: {}, now } })
  drain.begin()
  const answers = [
    await request(url).post('/v1/chat/completions').auth(edge.mint(), { type: 'bearer' }),
    await request(url).get('/v1/models').auth(edge.mint(), { type: 'bearer' }),
    await request(url).get('/v1/models'),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.connection])).toEqual([
    [200, 'close'],
    [200, 'close'],
    [401, 'close'],
  ])
  expect((await request(url).get('/readyz')).status).toBe(503)
})

describe('an API key in x-api-key', () => {
  const send = (url: string, path: string, headers: Record<string, string>) =>
    request(url).post(path).set(headers).send({ model: 'm' })

  it('is accepted at /v1/messages, and is not forwarded', async () => {
    const { edge, url, service } = await setUp()
    const key = edge.mint()
    const answer = await send(url, '/v1/messages', { 'X-Api-Key': key })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ url: '/v1/messages', body: '{"model":"m"}' })
    expect(service.requests[0]?.rawHeaders.map((text) => text.toLowerCase())).not.toContain('x-api-key')
    expect(JSON.stringify(answer.body)).not.toContain(key)
  })

  it('may be beside the same key in Authorization, but not beside another', async () => {
    const { edge, url } = await setUp()
    const [key, other] = [edge.mint(), edge.mint()]
    const same = { 'x-api-key': key, authorization: `Bearer ${key}` }
    expect((await send(url, '/v1/messages', same)).status).toBe(200)
    const differing = await send(url, '/v1/messages', { ...same, authorization: `Bearer ${other}` })
    expect(differing).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } })
  })

  it.each(['x-api-key', 'api-key', 'x-goog-api-key'])(
    'is accepted in %s at every URL, unless Authorization has one',
    async (header) => {
      const { edge, url, service } = await setUp()
      const [key, other] = [edge.mint(), edge.mint()]
      expect((await send(url, '/v1/chat/completions', { [header]: key })).status).toBe(200)
      expect(service.requests[0]?.rawHeaders.map((text) => text.toLowerCase())).not.toContain(header)
      const differing = { [header]: other, authorization: `Bearer ${key}` }
      expect((await send(url, '/v1/chat/completions', differing)).status).toBe(200)
      expect((await send(url, '/v1/models', { [header]: unknownKey() })).status).toBe(401)
      expect(service.requests).toHaveLength(2)
    },
  )
})

it('never writes a key into its log', async () => {
  const { logger, lines } = recordingLogger()
  const { edge, url } = await setUp({ logger, origin: 'http://127.0.0.1:1' })
  const [key, outsider] = [edge.mint(), unknownKey()]
  for (const path of ['/v1/models', '/v1/chat/completions', '/v1/messages', '/v1/nothing']) {
    await request(url).post(path).auth(key, { type: 'bearer' }).send({})
    await request(url).get(path).auth(outsider, { type: 'bearer' })
    await request(url).post(path).set('x-api-key', key).send({})
  }
  expect(lines.length).toBeGreaterThan(0)
  expect(JSON.stringify(lines)).not.toContain(key)
  expect(JSON.stringify(lines)).not.toContain(outsider)
})

it('counts refusals of a known caller for its workspace, and those of unknown keys for none', async () => {
  const noted: unknown[] = []
  const refusals = {
    note: (thrown: unknown, { workspaceId: of }: { readonly workspaceId: string }) =>
      void noted.push([(thrown as { readonly code?: string }).code, of]),
  }
  const { edge, url } = await setUp({ refusals })
  await request(url).get('/v1/nowhere').auth(unknownKey(), { type: 'bearer' })
  expect(noted).toEqual([])
  await request(url).get('/v1/nowhere').auth(edge.mint(), { type: 'bearer' })
  await request(url).put('/v1/things').auth(edge.mint(), { type: 'bearer' })
  await request(url).post('/v1/owners').auth(edge.mint('member'), { type: 'bearer' })
  await request(url)
    .post('/v1/owners')
    .auth(edge.mint(), { type: 'bearer' })
    .send({ text: 'x'.repeat(2_000) })
  const codes = ['unknown_url', 'method_not_allowed', 'insufficient_permissions', 'request_too_large']
  expect(noted).toEqual(codes.map((code) => [code, workspaceId]))
})
