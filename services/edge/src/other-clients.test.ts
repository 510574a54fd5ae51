import { modelHeader } from '@ratchet/contracts/identity'
import request from 'supertest'
import { CorsOrigins, createCors } from './admission/cors.ts'
import {
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
} from './edge.fixture.ts'

let service: ScriptedService
let edge: TestEdge
let url: string

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function startEdge(options: TestEdgeOptions = {}): Promise<{ readonly edge: TestEdge; readonly url: string }> {
  const started = await startTestEdge({ origin: service.origin, ...options })
  stops.push(started.stop)
  return { edge: started, url: `http://127.0.0.1:${started.port}` }
}

beforeAll(async () => {
  service = await startService((incoming, response) => {
    incoming.resume().on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ url: incoming.url, headers: incoming.headers }))
    })
  })
  stops.push(service.stop)
  const started = await startEdge()
  edge = started.edge
  url = started.url
})

describe('clients of Azure', () => {
  const post = (path: string) => request(url).post(path).set('api-key', edge.mint()).send({ messages: [] })

  it('call the deployment that the path names', async () => {
    const { status, body } = await post('/openai/deployments/sim%2Fsmall/chat/completions?api-version=2024-10-21')
    expect([status, body.url, body.headers[modelHeader]]).toEqual([200, '/v1/chat/completions', 'sim/small'])
  })

  it('call the endpoints of the newer form, where the body names the model', async () => {
    const { status, body } = await post('/openai/v1/responses?api-version=preview')
    expect([status, body.url, body.headers[modelHeader]]).toEqual([200, '/v1/responses', undefined])
  })

  it('need a key, and cannot set the header of the edge', async () => {
    const path = '/openai/deployments/a/chat/completions'
    expect((await request(url).post(path).send({})).status).toBe(401)
    const { body } = await request(url)
      .post('/v1/chat/completions')
      .set({ 'api-key': edge.mint(), [modelHeader]: 'other' })
      .send({})
    expect(body.headers[modelHeader]).toBeUndefined()
  })
})

describe('clients of Gemini', () => {
  it.each(['/v1beta/models', '/v1beta/cachedContents', '/v1alpha/models', '/v1/models/gemini-3-pro:embedContent'])(
    'get a 404 in the form of Google`s errors from %s, with any key',
    async (path) => {
      const { status, body } = await request(url).post(path).set('x-goog-api-key', 'AIza').send({})
      expect([status, body.error.code, body.error.status]).toEqual([404, 404, 'NOT_FOUND'])
      expect(body.error.message).toContain('/v1beta/models/{model}:generateContent')
    },
  )

  it('reach inference with their key and a model with a slash, plain or encoded', async () => {
    for (const models of ['/v1beta/models/sim/small', '/v1beta/models/sim%2Fsmall', '/v1/models/sim/small']) {
      const path = `${models}:streamGenerateContent?alt=sse`
      const { status, body } = await request(url).post(path).set('x-goog-api-key', edge.mint()).send({})
      expect([status, body.url]).toEqual([200, '/v1beta/models/sim/small:streamGenerateContent?alt=sse'])
    }
  })

  it('get a 401 in the form of Google`s errors for a wrong key', async () => {
    const path = '/v1beta/models/gemini-3-pro:generateContent'
    const { status, body } = await request(url).post(path).set('x-goog-api-key', 'AIza').send({})
    expect([status, body.error.status]).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('an unknown URL', () => {
  it.each([
    ['GET', '/v1', '/v1/openapi.json'],
    ['POST', '/chat/completions', '/v1/chat/completions'],
    ['POST', '/v1/v1/chat/completions', '/v1/chat/completions'],
    ['POST', '/v1/chat/completions/', '/v1/chat/completions'],
  ])('%s %s names what was meant', async (method, path, meant) => {
    const sent = method === 'GET' ? request(url).get(path) : request(url).post(path)
    const { status, body } = await sent.set('api-key', edge.mint())
    expect([status, body.error.code]).toEqual([404, 'unknown_url'])
    expect(body.error.message).toContain(meant)
  })

  it('says nothing without a key', async () => {
    expect((await request(url).post('/chat/completions').send({})).status).toBe(401)
  })
})

describe('the root, where no dashboard runs', () => {
  it('is a small page in a browser', async () => {
    const { status, text, headers } = await request(url).get('/').set('accept', 'text/html,*/*')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain('/docs')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  })

  it('is refused to every other client', async () => {
    expect((await request(url).get('/')).status).toBe(401)
    expect((await request(url).post('/').set('accept', 'text/html')).status).toBe(401)
  })
})

describe('pages of other origins', () => {
  const origin = 'https://app.example.com'
  const preflight = (at: string, from: string, path = '/v1/chat/completions') =>
    request(at)
      .options(path)
      .set({ origin: from, 'access-control-request-method': 'POST' })
      .set('access-control-request-headers', 'authorization,content-type,x-stainless-lang')

  it('may not call the API unless the operator names them', async () => {
    const asked = await preflight(url, origin)
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([401, undefined])
    const sent = await request(url).get('/v1/models').set({ origin, 'api-key': edge.mint() })
    expect(sent.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('may call it from a named origin, with a key and never with cookies', async () => {
    const named = await startEdge({ cors: createCors([origin], edge.deps.brand) })
    const asked = await preflight(named.url, origin)
    expect([asked.status, asked.headers]).toMatchObject([
      204,
      {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
        vary: 'Origin',
      },
    ])
    expect(asked.headers['access-control-allow-methods']).toContain('POST')
    const answers = await Promise.all([
      request(named.url).get('/v1/models').set({ origin, 'api-key': named.edge.mint() }),
      request(named.url).get('/v1/models').set({ origin }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 401])
    for (const { headers } of [asked, ...answers]) {
      expect(headers['access-control-allow-origin']).toBe(origin)
      expect(headers['access-control-allow-credentials']).toBeUndefined()
    }
    expect(answers[0]?.headers['access-control-expose-headers']).toContain('X-Svc-Served-Model')
  })

  it.each(['https://evil.test', 'https://app.example.com.evil.test', 'http://app.example.com', 'null'])(
    'may not call it from %s',
    async (from) => {
      const named = await startEdge({ cors: createCors([origin], edge.deps.brand) })
      const asked = await preflight(named.url, from)
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([401, undefined])
    },
  )

  it('may call it from anywhere with *, but not the dashboard', async () => {
    const open = await startEdge({ cors: createCors(['*'], edge.deps.brand), dashboardOrigin: service.origin })
    expect((await preflight(open.url, 'null')).headers['access-control-allow-origin']).toBe('*')
    const page = await preflight(open.url, origin, '/api/session')
    expect(page.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each([
    ['', []],
    ['*', ['*']],
    ['https://a.test, http://localhost:5173', ['https://a.test', 'http://localhost:5173']],
  ])('reads the setting %j', (text, origins) => {
    expect(CorsOrigins.parse(text)).toEqual(origins)
  })

  it.each(['a.test', 'https://a.test/', 'https://a.test/page', '*.a.test'])('refuses the setting %j', (text) => {
    expect(CorsOrigins.safeParse(text).success).toBe(false)
  })
})
