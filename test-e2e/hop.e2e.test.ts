import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import type { FleetProcess } from './start-process.ts'
import { workspaceWith } from './workspace-with.ts'

/* Edge to inference: an edge that sends frames and one that sends HTTP must not differ for a client. */

let fleet: Fleet
let added: FleetProcess
let framed: string
let http: string

beforeAll(async () => {
  fleet = await startFleet({ env: { SLOW_READER_TIMEOUT_MS: '4000', STALLED_CLIENT_MS: '4000' } })
  framed = fleet.url
  // An edge that is added has no address for frames.
  added = await fleet.add('edge')
  http = added.url
  await usesFrames()
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

async function framesConnected(metricsUrl: string | undefined): Promise<string | undefined> {
  const text = await (await fetch(metricsUrl ?? '')).text()
  return /^ratchet_edge_frames_connected\{.*\} (\d)$/m.exec(text)?.[1]
}

function usesFrames(): Promise<void> {
  return eventually(async () => expect(await framesConnected(fleet.edges[0]?.metricsUrl)).toBe('1'), {
    withinMs: 45_000,
  })
}

interface Call {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | string | Buffer
  /** Sends the body without a length. */
  readonly chunked?: boolean
  readonly apiKey?: string
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Whether the connection ended before the answer did. */
  readonly cut: boolean
}

function begin(url: string, call: Call): Promise<IncomingMessage> {
  const { method = 'POST', path = '/v1/chat/completions', body = '', headers = {}, chunked = false } = call
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(`${url}${path}`, {
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${call.apiKey ?? fleet.workspace.apiKey}`,
      'content-type': 'application/json',
      ...(chunked ? {} : { 'content-length': String(bytes.length) }),
      ...headers,
    },
  })
  sent.once('response', resolve).once('error', reject)
  if (headers.expect === undefined) sent.end(bytes)
  else sent.once('continue', () => sent.end(bytes))
  return promise
}

async function ask(url: string, call: Call): Promise<Answer> {
  const incoming = await begin(url, call)
  const pieces: Buffer[] = []
  incoming.on('data', (bytes: Buffer) => pieces.push(bytes)).on('error', () => undefined)
  await new Promise((resolve) => incoming.once('close', resolve))
  const body = Buffer.concat(pieces).toString('latin1')
  return { status: incoming.statusCode, headers: incoming.headers, body, cut: !incoming.complete }
}

/** Headers that differ between two answers over the same transport. */
const varying = new Set(['date', 'x-request-id', 'request-id'])

/** What a client sees, without ids and times. */
function comparable({ status, headers, body, cut }: Answer) {
  const id = String(headers['x-request-id'])
  const text = body
    .replaceAll(id, '<id>')
    .replace(/"(created|created_at|completed_at)":\d+/g, (_match, name) => `"${name}":0`)
    .replace(/(resp|msg|rs|chatcmpl)[-_][0-9a-zA-Z_-]{16,}/g, '<id>')
    .replace(/"latency_ms":\d+/g, '')
  const rest = Object.entries(headers).filter(([name]) => !varying.has(name) && !name.includes('-reset-'))
  return { status, headers: Object.fromEntries(rest.toSorted()), body: text, cut }
}

const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Why is the sky blue?' }],
  ...more,
})

const tooLarge = Buffer.alloc(11_000_000, 'x')
/** Otherwise the edge closes the connection behind its answer, maybe while the client still sends. */
const keepAlive = { connection: 'keep-alive' }

const cases: readonly (readonly [string, number, Call | (() => Promise<Call>)])[] = [
  ['a plain answer', 200, { body: chat('sim/echo') }],
  ['a plain answer to a chunked request', 200, { body: chat('sim/echo'), chunked: true }],
  ['a stream', 200, { body: chat('sim/echo', { stream: true, stream_options: { include_usage: true } }) }],
  ['Unicode', 200, { body: chat('sim/echo', { messages: [{ role: 'user', content: 'Größe 漢字 🦊' }] }) }],
  ['messages', 200, { path: '/v1/messages', body: chat('sim-anthropic/echo', { max_tokens: 100 }) }],
  ['a stream of messages', 200, { path: '/v1/messages', body: chat('sim/echo', { max_tokens: 100, stream: true }) }],
  ['responses', 200, { path: '/v1/responses', body: { model: 'sim/echo', input: 'Hi.', store: false } }],
  ['embeddings', 200, { path: '/v1/embeddings', body: { model: 'sim/embed', input: ['a', 'b'] } }],
  ['reranking', 200, { path: '/v2/rerank', body: { model: 'sim/rerank', query: 'a', documents: ['a b', 'c'] } }],
  ['a body of 64 KB', 200, { body: chat('sim/echo', { messages: [{ role: 'user', content: 'x'.repeat(65_536) }] }) }],
  [
    'a body of 4 MB',
    200,
    { body: chat('sim/echo', { messages: [{ role: 'user', content: 'x '.repeat(2_000_000) }] }) },
  ],
  [
    'an answer of 400 KB',
    200,
    { body: chat('sim/echo', { n: 20, max_tokens: 3_000, messages: [{ role: 'user', content: 'y '.repeat(5_000) }] }) },
  ],
  ['an expectation', 200, { body: chat('sim/echo'), headers: { expect: '100-continue' } }],
  ['a target with a query', 200, { path: '/v1/chat/completions?x=1', body: chat('sim/echo') }],
  [
    'trace headers',
    200,
    { body: chat('sim/echo'), headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } },
  ],
  ['no JSON', 400, { body: '{"model":' }],
  ['a wrong field', 400, { body: { model: 'sim/echo', messages: 7 } }],
  ['a wrong field of messages', 400, { path: '/v1/messages', body: { model: 'sim-anthropic/echo', messages: 7 } }],
  ['an empty body', 400, {}],
  ['a wrong header', 400, { body: chat('sim/echo'), headers: { 'idempotency-key': 'a b' } }],
  ['an unknown key', 401, { body: chat('sim/echo'), apiKey: 'sk-unknown' }],
  ['an empty wallet', 402, { body: chat('sim/large', { n: 128, max_tokens: 16_000 }) }],
  ['an unknown model', 404, { body: chat('sim/none') }],
  ['an unknown URL', 404, { path: '/v1/chat/none', body: chat('sim/echo') }],
  ['another method', 405, { method: 'GET' }],
  ['a body over the limit', 413, { body: tooLarge, headers: keepAlive }],
  ['a chunked body over the limit', 413, { body: tooLarge, headers: keepAlive, chunked: true }],
  ['another media type', 415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['a limit of requests', 429, limited],
  ['a provider that fails', 502, { body: chat('sim/fail-500') }],
  ['a provider that fails before a stream', 502, { body: chat('sim/fail-500', { stream: true }) }],
  ['a provider that fails in the middle', 200, { body: chat('sim/cut-900', { stream: true, max_tokens: 200 }) }],
  ['a provider that reports an error in the middle', 200, { body: chat('sim/errorframe', { stream: true }) }],
]

/** A request of a workspace whose limit is used up. */
async function limited(): Promise<Call> {
  const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 1 })
  const call = { apiKey, body: chat('sim/echo', { max_tokens: 10 }) }
  await ask(http, call)
  return call
}

describe('an edge that sends frames answers as one that sends HTTP', () => {
  it.each(cases)('for %s (%i)', async (_name, status, planned) => {
    const call = typeof planned === 'function' ? await planned() : planned
    const [byFrames, byHttp] = [await ask(framed, call), await ask(http, call)]
    expect(comparable(byFrames)).toEqual(comparable(byHttp))
    expect(byFrames.status).toBe(status)
    expect(await framesConnected(fleet.edges[0]?.metricsUrl)).toBe('1')
    expect(await framesConnected(added.metricsUrl)).toBeUndefined()
  })

  it('replays an answer of the other under the same idempotency key', async () => {
    const call = { body: chat('sim/echo'), headers: { 'idempotency-key': 'shared' } }
    const [byFrames, byHttp] = [await ask(framed, call), await ask(http, call)]
    expect([byFrames.headers['idempotent-replay'], byHttp.headers['idempotent-replay']]).toEqual([undefined, 'true'])
    expect(JSON.parse(byHttp.body)).toEqual(JSON.parse(byFrames.body))
  })
})

describe.each([
  ['frames', () => framed],
  ['HTTP', () => http],
])('a client of the edge that sends %s', (_name, url) => {
  it('who leaves in the middle of a stream stops the provider', async () => {
    await fleet.provider.reset()
    const incoming = await begin(url(), { body: chat('sim/pace-50', { stream: true, max_tokens: 500 }) })
    await once(incoming, 'data')
    incoming.destroy()
    await eventually(async () => {
      const { requests } = await fleet.provider.report({ model: 'sim/pace-50' })
      expect(requests.map(({ completed, peer_left_at_ms }) => [completed, peer_left_at_ms !== null])).toEqual([
        [false, true],
      ])
    })
  })

  it('who reads nothing slows the provider down and is disconnected', async () => {
    await fleet.provider.reset()
    const wide: DemoWorkspace = await workspaceWith(fleet)
    const content = 'word '.repeat(6_400)
    const body = { model: 'sim/echo', stream: true, n: 32, max_tokens: 8_000, messages: [{ role: 'user', content }] }
    const incoming = await begin(url(), { body, apiKey: wide.apiKey })
    incoming.on('error', () => undefined)
    const others = await Promise.all(Array.from({ length: 10 }, () => ask(url(), { body: chat('sim/echo') })))
    expect(others.map(({ status }) => status)).toEqual(Array(10).fill(200))
    await eventually(
      async () => {
        const { requests } = await fleet.provider.report({ model: 'sim/echo' })
        const slow = requests.filter(({ peer_left_at_ms }) => peer_left_at_ms !== null)
        expect(slow.map(({ completed }) => completed)).toEqual([false])
      },
      { withinMs: 45_000 },
    )
    incoming.destroy()
  }, 180_000)
})

describe('when inference restarts', () => {
  it('requests are answered over HTTP until frames connect again; infrastructure is never a 401 or 402', async () => {
    const statuses: (number | undefined)[] = []
    let isOver = false
    const load = async () => {
      while (!isOver)
        statuses.push(await ask(framed, { body: chat('sim/echo', { max_tokens: 20 }) }).then(({ status }) => status))
    }
    const running = Promise.all([load(), load()])
    await fleet.inference.stop()
    const refused = await ask(framed, { body: chat('sim/echo') })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    const inference: FleetProcess = await fleet.restartInference()
    expect((await ask(framed, { body: chat('sim/echo') })).status).toBe(200)
    await usesFrames()
    expect((await ask(framed, { body: chat('sim/echo') })).status).toBe(200)
    isOver = true
    await running
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(inference.log.join('\n')).not.toContain('frames_refused')
  }, 180_000)

  it('running streams are finished before it ends', async () => {
    const incoming = await begin(framed, { body: chat('sim/pace-20', { stream: true, max_tokens: 100 }) })
    let text = ''
    incoming.on('data', (bytes: Buffer) => {
      text += bytes.toString()
    })
    await once(incoming, 'data')
    const [inference] = fleet.processes.filter(({ name }) => name === 'inference').slice(-1)
    await inference?.stop()
    await eventually(() => expect(incoming.complete).toBe(true))
    expect(text).toContain('[DONE]')
    await fleet.restartInference()
    await usesFrames()
  }, 180_000)
})
