import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { countingIds } from '@ratchet/testing/counting-ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { recordingLogger } from '@ratchet/testing/recording-logger'
import request from 'supertest'
import { createDrain } from '../process/drain.ts'
import { createAdminApp, createHttpApp, type HttpAppOptions } from './http-app.ts'
import { ServiceError } from './service-error.ts'

function testApp(overrides: Partial<HttpAppOptions> = {}) {
  const { logger, lines } = recordingLogger()
  const drain = createDrain()
  const options: HttpAppOptions = {
    logger,
    metrics: createProcessMetrics('test'),
    health: { drain, checks: {}, now: fixedClock().now },
    requestId: countingIds('req-'),
    serveMetrics: true,
    routes: (router) => {
      router.get('/v1/things', (_request, response) => void response.json({ ok: true }))
      router.get('/v1/things/:id', (incoming, response) => void response.json({ id: incoming.params.id }))
      router.get('/refused', () => {
        throw new ServiceError('conflict', 'In use.', { param: 'name', headers: { 'x-more': '1' } })
      })
      router.get('/unavailable', async () => {
        throw new ServiceError('service_unavailable', 'Later.', { retryAfterSeconds: 1 })
      })
      router.get('/broken', async () => {
        throw new Error('password hush')
      })
      router.get('/cut', (_request, response) => {
        response.write('begun')
        throw new Error('after the first byte')
      })
    },
    ...overrides,
  }
  return { app: createHttpApp(options), lines, drain, options }
}

it('sends the request id in every answer', async () => {
  const { app } = testApp()

  const answers = [await request(app).get('/v1/things'), await request(app).get('/nope')]

  expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(['req-1', 'req-2'])
})

it('answers an error in the format of its path', async () => {
  const { app } = testApp({ errorBody: (path, envelope) => ({ path, ...envelope }) })

  const { body } = await request(app).get('/refused')

  expect(body).toMatchObject({ path: '/refused', error: { code: 'conflict', request_id: 'req-1' } })
})

it('answers a ServiceError with the envelope and its headers', async () => {
  const { app, lines } = testApp()

  const response = await request(app).get('/refused')

  expect(response.status).toBe(409)
  expect(response.headers).toMatchObject({
    'x-more': '1',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  expect(response.body).toEqual({
    error: { message: 'In use.', type: 'invalid_request_error', code: 'conflict', param: 'name', request_id: 'req-1' },
  })
  expect(lines).toEqual([])
})

it('answers with Retry-After when a retry may succeed', async () => {
  const response = await request(testApp().app).get('/unavailable')

  expect([response.status, response.headers['retry-after']]).toEqual([503, '1'])
})

it('hides an internal error from the client and logs it with the request id', async () => {
  const { app, lines } = testApp()

  const response = await request(app).get('/broken')

  expect(response.status).toBe(500)
  expect(response.body).toEqual({
    error: {
      message: 'Something went wrong on our side. (request id req-1)',
      type: 'api_error',
      code: 'internal_error',
      param: null,
      request_id: 'req-1',
    },
  })
  expect(JSON.stringify(lines)).toMatch(/req-1.*password hush|password hush.*req-1/)
})

it('cuts an answer that fails after its first byte, so that the client notices', async () => {
  await expect(request(testApp().app).get('/cut')).rejects.toThrow(/aborted|hang up/)
})

it.each(['/nope', '/v1/Things', '/v1/things/', '/v1', '/'])('answers 404 for the route %s', async (path) => {
  const response = await request(testApp().app).get(path)

  expect([response.status, response.body.error.code]).toEqual([404, 'unknown_url'])
})

it.each(['/METRICS', '/metrics/', '/healthz/', '/Healthz', '/livez/', '/Startupz', '/readyz/', '/READYZ'])(
  'does not accept another spelling of a probe: %s',
  async (path) => {
    const { app, options } = testApp()

    for (const asked of [app, createAdminApp(options)]) expect((await request(asked).get(path)).status).toBe(404)
  },
)

it.each(['/healthz', '/livez', '/startupz', '/readyz', '/metrics'])('answers only GET and HEAD on %s', async (path) => {
  const { app, options } = testApp()

  for (const asked of [app, createAdminApp(options)]) {
    const refused = await request(asked).post(path)
    expect([refused.status, refused.headers.allow, refused.body.error.code]).toEqual([
      405,
      'GET, HEAD',
      'method_not_allowed',
    ])
    expect((await request(asked).head(path)).status).toBe(200)
  }
})

it.each(['/v1/things/%zz', '/v1/things/%E0%A4%A'])(
  'answers 400 for a path that cannot be decoded: %s',
  async (path) => {
    const { app, lines } = testApp()

    const response = await request(app).get(path)

    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_request'])
    expect(lines).toEqual([])
  },
)

it('sends no header that names its software', async () => {
  const { headers } = await request(testApp().app).get('/v1/things')

  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('etag')
})

it('sends Connection: close while it drains', async () => {
  const { app, drain } = testApp()

  drain.begin()
  const response = await request(app).get('/v1/things').set('connection', 'keep-alive')

  expect([response.status, response.headers.connection]).toEqual([200, 'close'])
})

it('runs the guard before anything else', async () => {
  const guard = () => {
    throw new ServiceError('invalid_request', 'Two hosts.')
  }
  const { app } = testApp({ guard })

  for (const path of ['/v1/things', '/healthz', '/nope']) expect((await request(app).get(path)).status).toBe(400)
})

it('counts requests by route, never by path', async () => {
  const { app, options } = testApp({
    routes: (router) => {
      router.get('/v1/things/:id', (incoming, response) => {
        incoming.routeName = '/v1/things/:id'
        response.json({})
      })
    },
  })

  await request(app).get('/v1/things/secret-17')
  await request(app).get('/secret-18')

  const { values } = await options.metrics.requestSeconds.get()
  const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'))
  expect(counts.map(({ labels, value }) => [labels, value])).toEqual([
    [{ http_request_method: 'GET', http_route: '/v1/things/:id', http_response_status_code: '200' }, 1],
    [{ http_request_method: 'GET', http_route: 'none', http_response_status_code: '404' }, 1],
  ])
  const { status, text } = await request(app).get('/metrics')
  expect([status, text.includes('_request_duration_'), text.includes('secret')]).toEqual([200, true, false])
})

it('does not serve metrics on the port of clients when they have their own', async () => {
  const { app, options } = testApp({ serveMetrics: false })
  const admin = createAdminApp(options)

  expect((await request(app).get('/metrics')).status).toBe(404)
  expect((await request(app).get('/healthz')).status).toBe(200)
  for (const path of ['/metrics', '/healthz', '/livez', '/startupz', '/readyz'])
    expect((await request(admin).get(path)).status).toBe(200)
  expect((await request(admin).get('/v1/things')).status).toBe(404)
})
