import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { eventually } from '@ratchet/testing/eventually'
import request from 'supertest'
import {
  extraEndpoints,
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
} from './edge.fixture.ts'
import { exchangeBytes, head, openWire } from './wire.fixture.ts'

/* What the public listener sends to the dashboard, and what it never sends there. */

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

interface Running {
  readonly edge: TestEdge
  readonly service: ScriptedService
  readonly dashboard: ScriptedService
  readonly url: string
}

const echo: RequestListener = (incoming, response) => {
  void text(incoming).then((body) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: incoming.method, url: incoming.url, headers: incoming.headers, body }))
  })
}

async function setUp(listener: RequestListener = echo, options: TestEdgeOptions = {}): Promise<Running> {
  const [service, dashboard] = await Promise.all([startService(echo), startService(listener)])
  const edge = await startTestEdge({
    origin: service.origin,
    dashboardOrigin: dashboard.origin,
    endpoints: extraEndpoints,
    ...options,
  })
  stops.push(service.stop, dashboard.stop, edge.stop)
  return { edge, service, dashboard, url: `http://127.0.0.1:${edge.port}` }
}

it('forwards what a browser sends by the allow-list, and what the edge knows about the client', async () => {
  const { edge, url } = await setUp()
  const { status, body } = await request(url)
    .post('/api/sign-in?a=%2F')
    .set({ host: 'ratchet.example:8080', cookie: 'a=1; b=2', origin: 'http://x', referer: 'http://x/y' })
    .set({
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'empty',
      'sec-fetch-user': '?1',
    })
    .set({ accept: 'text/html', 'accept-language': 'de', 'accept-encoding': 'br', range: 'bytes=0-1' })
    .set({
      'if-none-match': '"a"',
      'if-match': '"b"',
      'last-event-id': '7',
      'stripe-signature': 't=1,v1=a',
      'idempotency-key': 'k',
      'user-agent': 'test',
    })
    .set({
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil',
      forwarded: 'for=6.6.6.6',
    })
    .set({ 'x-internal-identity': 'forged', 'x-request-id': 'mine', 'x-real-ip': '6.6.6.6', 'x-other': 'o' })
    .set({ authorization: `Bearer ${edge.mint()}`, 'x-api-key': edge.mint(), traceparent: '00-a-b-01' })
    .send({ hello: 'wörld' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ method: 'POST', url: '/api/sign-in?a=%2F', body: '{"hello":"wörld"}' })
  const { host: _host, 'x-request-id': id, ...headers } = body.headers
  expect(id).not.toBe('mine')
  expect(headers).toEqual({
    accept: 'text/html',
    'accept-encoding': 'br',
    'accept-language': 'de',
    connection: 'keep-alive',
    'content-length': '18',
    'content-type': 'application/json',
    cookie: 'a=1; b=2',
    'idempotency-key': 'k',
    'if-match': '"b"',
    'if-none-match': '"a"',
    'last-event-id': '7',
    origin: 'http://x',
    range: 'bytes=0-1',
    referer: 'http://x/y',
    'sec-fetch-dest': 'empty',
    'sec-fetch-mode': 'cors',
    'sec-fetch-site': 'same-origin',
    'sec-fetch-user': '?1',
    'stripe-signature': 't=1,v1=a',
    'user-agent': 'test',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'ratchet.example:8080',
    'x-forwarded-proto': 'http',
  })
})

const byProxies: [string, string[], string][] = [
  ['without trusted proxies, whatever the client says', [], '127.0.0.1'],
  ['behind another proxy than this client', ['10.0.0.0/8'], '127.0.0.1'],
  ['behind a trusted proxy', ['127.0.0.0/8'], '2.2.2.2'],
  ['behind two of them', ['127.0.0.1', '2.2.2.2'], '6.6.6.6'],
]

it.each(byProxies)('says who the client is %s', async (_where, trustedProxies, client) => {
  const { url } = await setUp(echo, { trustedProxies })
  const headers = { 'x-forwarded-for': '6.6.6.6, 2.2.2.2', 'x-real-ip': '7.7.7.7', forwarded: 'for=7.7.7.7' }
  const { body } = await request(url).get('/api/me').set(headers)
  expect(body.headers['x-forwarded-for']).toBe(client)
})

it('counts unknown keys by client behind a trusted proxy', async () => {
  const { edge, url } = await setUp(echo, { trustedProxies: ['127.0.0.1'] })
  const other = await startTestEdge()
  stops.push(other.stop)
  // Well-formed keys that this edge does not know.
  const statusOf = (client: string) => {
    const asked = request(url).get('/v1/models').auth(other.mint(), { type: 'bearer' })
    return asked.set('x-forwarded-for', client).then(({ status }) => status)
  }
  for (let sent = 1; sent <= 50; sent++) await statusOf('1.1.1.1')
  expect(await statusOf('1.1.1.1')).toBe(429)
  expect(await statusOf('2.2.2.2')).toBe(401)
  expect((await request(url).get('/v1/models').auth(edge.mint(), { type: 'bearer' })).status).toBe(200)
})

it('passes back cookies, status and the policy of the page, and a 401', async () => {
  const { url } = await setUp((incoming, response) => {
    response.writeHead(incoming.url === '/api/me' ? 401 : 206, [
      ...['Set-Cookie', 'a=1; HttpOnly', 'Set-Cookie', 'b=2', 'Content-Security-Policy', "default-src 'none'"],
      ...[
        'X-Internal-Secret',
        's',
        'Content-Range',
        'bytes 0-1/2',
        'Cache-Control',
        'max-age=1',
        'Content-Length',
        '2',
      ],
    ])
    response.end('ok')
  })
  const page = await request(url).get('/sign-in')
  expect(page.status).toBe(206)
  expect(page.headers).toMatchObject({
    'set-cookie': ['a=1; HttpOnly', 'b=2'],
    'content-security-policy': "default-src 'none'",
    'content-range': 'bytes 0-1/2',
    'cache-control': 'max-age=1',
  })
  expect(page.headers).not.toHaveProperty('x-internal-secret')
  expect((await request(url).get('/api/me')).status).toBe(401)
})

it('never sends a path of the API to the dashboard, whatever the method and the headers', async () => {
  const { edge, dashboard, service } = await setUp()
  const cookie = 'Cookie: __Host-ratchet_session=a'
  const paths = [
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/v2',
    '/v2/x',
    '/session',
    '/session/x',
    '/docs/x',
    '/metrics',
    '/metrics/x',
  ]
  for (const path of paths.filter((path) => path !== '/metrics')) {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await exchangeBytes(
        edge.port,
        head(`${method} ${path}`, 'Host: a', cookie, 'Accept: text/html', 'Content-Length: 0'),
      )
      expect([path, answer.status]).toEqual([path, 401])
    }
  }
  for (const path of ['/healthz', '/readyz', '/livez', '/startupz', '/docs', '/metrics']) {
    expect((await exchangeBytes(edge.port, head(`GET ${path}`, 'Host: a', cookie))).status).toBe(200)
  }
  expect(dashboard.requests).toHaveLength(0)
  expect(service.requests).toHaveLength(0)
})

it('accepts no cookie in place of a key, and forwards none to a service', async () => {
  const { edge, url, service } = await setUp()
  const cookie = '__Host-ratchet_session=a'
  expect((await request(url).get('/v1/models').set({ cookie, origin: url })).status).toBe(401)
  await request(url).get('/v1/models').set({ cookie }).auth(edge.mint(), { type: 'bearer' })
  expect(service.requests.map(({ headers }) => headers.cookie)).toEqual([undefined])
})

it('accepts no key for the dashboard', async () => {
  const { edge, url, dashboard } = await setUp()
  const key = edge.mint()
  await request(url).get('/api/w/acme/v1/models').auth(key, { type: 'bearer' }).set('x-api-key', key)
  expect(dashboard.requests).toHaveLength(1)
  expect(JSON.stringify(dashboard.requests[0]?.rawHeaders)).not.toContain(key)
})

it('sends nothing anywhere without a dashboard', async () => {
  const service = await startService(echo)
  const edge = await startTestEdge({ origin: service.origin })
  stops.push(service.stop, edge.stop)
  const url = `http://127.0.0.1:${edge.port}`
  expect((await request(url).get('/w/acme').set('accept', 'text/html')).status).toBe(401)
  const answer = await request(url).get('/').auth(edge.mint(), { type: 'bearer' })
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'unknown_url' } } })
  expect(service.requests).toHaveLength(0)
})

const refused: [string, string, number][] = [
  ['a dot segment', head('GET /assets/../x', 'Host: a'), 400],
  ['an encoded dot segment', head('GET /%2e%2e/v1/models', 'Host: a'), 400],
  ['an encoded slash', head('GET /assets%2Fx', 'Host: a'), 400],
  ['an empty segment', head('GET //v1/models', 'Host: a'), 400],
  ['two Host headers', head('GET /', 'Host: a', 'Host: b'), 400],
  ['no Host header', head('GET /'), 400],
  ['a Host header that is no host', head('GET /', 'Host: a"><script>'), 400],
  ['a method override', head('POST /', 'Host: a', 'X-HTTP-Method-Override: DELETE'), 400],
  ['two lengths', head('POST /', 'Host: a', 'Content-Length: 2', 'Content-Length: 3'), 400],
  ['a length and chunks', head('POST /', 'Host: a', 'Content-Length: 2', 'Transfer-Encoding: chunked'), 400],
  ['a compressed body', head('POST /', 'Host: a', 'Content-Encoding: gzip', 'Content-Length: 0'), 415],
  ['TRACE', head('TRACE /', 'Host: a'), 405],
]

it.each(refused)('refuses %s', async (_what, bytes, status) => {
  const { edge, dashboard } = await setUp()
  expect((await exchangeBytes(edge.port, bytes)).status).toBe(status)
  expect(dashboard.requests).toHaveLength(0)
})

describe('a body', () => {
  it('has the limit of the endpoint that the dashboard passes it on to, else a mebibyte', async () => {
    const { edge } = await setUp()
    const statusOf = async (path: string, bytes: number) => {
      const wire = openWire(edge.port)
      wire.socket.write(head(`POST ${path}`, 'Host: a', 'Expect: 100-continue', `Content-Length: ${bytes}`))
      await eventually(() => wire.text().includes('\r\n\r\n'))
      wire.socket.destroy()
      return wire.text().slice(9, 12)
    }
    const mebibyte = 1024 * 1024
    expect(await statusOf('/api/setup', mebibyte)).toBe('100')
    expect(await statusOf('/api/setup', mebibyte + 1)).toBe('413')
    expect(await statusOf('/api/w/acme/v1/things', 1_000)).toBe('100')
    expect(await statusOf('/api/w/acme/v1/things', 1_001)).toBe('413')
    expect(await statusOf('/api/w/acme/v1/files', 512 * mebibyte)).toBe('100')
    expect(await statusOf('/api/w/acme/v1/nothing', mebibyte + 1)).toBe('413')
    expect(await statusOf('/api/w/acme/x/v1/files', mebibyte + 1)).toBe('413')
  })

  it('is counted when its length is not declared', async () => {
    const { url } = await setUp()
    const chunked = request(url).post('/api/w/acme/v1/things').set('transfer-encoding', 'chunked')
    for (let i = 0; i < 100; i++) chunked.write('x'.repeat(1_000))
    expect(await chunked).toMatchObject({ status: 413, body: { error: { code: 'request_too_large' } } })
  })

  it('is forwarded while it arrives', async () => {
    let received = 0
    const { edge } = await setUp((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
      incoming.on('end', () => response.end())
    })
    const outgoing = httpRequest({
      port: edge.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/w/acme/v1/files',
      headers: { 'content-length': 8_000_000 },
    })
    outgoing.write(Buffer.alloc(4_000_000))
    await eventually(() => received === 4_000_000)
    outgoing.end(Buffer.alloc(4_000_000))
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect([answer.statusCode, received]).toEqual([200, 8_000_000])
    answer.resume()
  })
})

describe('an event stream', () => {
  async function listen(options: TestEdgeOptions = {}) {
    let stream: ServerResponse | undefined
    const running = await setUp((_request, response) => {
      stream = response
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }, options)
    const outgoing = httpRequest({
      port: running.edge.port,
      host: '127.0.0.1',
      path: '/api/w/acme/live',
      headers: { accept: 'text/event-stream' },
    })
    outgoing.end()
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { ...running, answer, outgoing, stream: stream as ServerResponse }
  }

  it('arrives event by event, and ends at the dashboard when the browser leaves', async () => {
    const { answer, outgoing, stream } = await listen()
    let received = ''
    answer.setEncoding('utf8').on('data', (piece) => {
      received += piece
    })
    for (const event of ['data: 1\n\n', ':\n\n', 'data: 2\n\n']) {
      const before = received
      stream.write(event)
      await eventually(() => received === before + event)
    }
    const closed = once(stream, 'close')
    answer.on('error', () => undefined)
    outgoing.destroy()
    await closed
  })

  it('ends completely when the edge begins to drain, while other answers go on', async () => {
    const drain = createDrain()
    const { answer, stream, url, edge } = await listen({ health: { drain, checks: {}, now: () => new Date() } })
    stream.write('data: 1\n\n')
    await once(answer, 'readable')
    drain.begin()
    expect(await text(answer)).toBe('data: 1\n\n')
    expect(answer.complete).toBe(true)
    expect((await request(url).get('/v1/models').auth(edge.mint(), { type: 'bearer' })).status).toBe(200)
  })
})

describe('a dashboard that does not answer', () => {
  const gone: [string, RequestListener | null, number][] = [
    ['does not run', null, 503],
    ['closes the connection', (incoming) => void incoming.socket.destroy(), 502],
  ]

  it.each(gone)('%s: pages get plain words, its own requests the envelope', async (_what, listener, status) => {
    const { edge, url } = await setUp(
      listener ?? echo,
      listener === null ? { dashboardOrigin: 'http://127.0.0.1:1' } : {},
    )
    const page = await request(url).get('/w/acme/logs').set('accept', 'text/html,*/*')
    expect(page).toMatchObject({ status, type: 'text/html' })
    expect(page.text).toContain('The dashboard is not available')
    expect(page.text).toContain(page.headers['x-request-id'])
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
    const call = await request(url).get('/api/me').set('accept', 'application/json')
    expect(call).toMatchObject({ status, body: { error: { request_id: call.headers['x-request-id'] } } })
    expect(await edge.metric('ratchet_edge_upstream_failures_total')).toMatch(
      /upstream="dashboard",reason="[a-z-]+",?\} 2$/m,
    )
    expect((await request(url).get('/v1/models').auth(edge.mint(), { type: 'bearer' })).status).toBe(200)
  })
})
