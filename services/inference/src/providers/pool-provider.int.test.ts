import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createUpstream } from '@ratchet/http/create-upstream'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { eventually } from '@ratchet/testing/eventually'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from '../wire/provider.ts'
import { poolProvider, wakingProvider } from './pool-provider.ts'

const base = catalogOf([modelEntry('acme/base')]).find('acme/base')
const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 }
const adapters = { clocks, now: () => new Date('2026-11-30T00:00:00Z') }

let engine: Server
let upstream: ReturnType<typeof createUpstream>
let status = 200
const bodies: Record<string, unknown>[] = []

beforeAll(async () => {
  engine = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.writeHead(status, { 'content-type': 'application/json' })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'mv_1', choices, usage }))
  })
  await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(engine.address() as AddressInfo).port}`
  upstream = createUpstream({ origin, connections: 2, connectTimeoutMs: 1_000 })
})
afterAll(async () => {
  await upstream.destroy()
  engine.closeAllConnections()
  engine.close()
})
beforeEach(() => {
  status = 200
  bodies.length = 0
})

function requestOf(body: Record<string, unknown>, dialect: ProviderRequest['dialect'] = 'chat'): ProviderRequest {
  if (base === null) throw new Error('no base')
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, { maxBytes: 1_000_000, maxDepth: 10 } as never)
  if (!('topLevel' in scan)) throw new Error('not scanned')
  return {
    requestId: 'r',
    dialect,
    model: { ...base, upstreamModel: 'mv_1', capabilities: [...base.capabilities, 'responses'] },
    bytes,
    scan: scan as never,
    body,
    stream: false,
    limits: { bytes: 1_000_000 } as never,
  }
}

function listener() {
  const events: string[] = []
  const failures: ProviderFailure[] = []
  const heard: ProviderListener = {
    onReply: () => void events.push('reply'),
    onStreamStart: () => void events.push('start'),
    onStreamData: () => void events.push('data'),
    onStreamEnd: () => void events.push('end'),
    onFailure: (failure) => void failures.push(failure),
  }
  return { heard, events, failures }
}

const never: Provider = {
  dialects: new Set(['chat']),
  start() {
    throw new Error('must not be called')
  },
}

describe('a request that waits for an engine', () => {
  it('is answered by the engine that was found, and paused as it was', async () => {
    const { heard } = listener()
    const seen: string[] = []
    const provider: Provider = {
      dialects: new Set(['chat']),
      start: () => {
        seen.push('start')
        return { abort: () => seen.push('abort'), pause: () => seen.push('pause'), resume: () => seen.push('resume') }
      },
    }
    const call = wakingProvider({ wake: async () => 'http://a', engine: () => provider }).start(requestOf({}), heard)
    call.pause()
    await eventually(() => expect(seen).toEqual(['start', 'pause']))
    call.abort()
    expect(seen).toEqual(['start', 'pause', 'abort'])
  })

  it('fails as overload does when there was none in time, and is not retried', async () => {
    const { heard, failures } = listener()
    wakingProvider({ wake: async () => null, engine: () => never }).start(requestOf({}), heard)
    await eventually(() => expect(failures).toMatchObject([{ kind: 'saturated' }]))
  })

  it('ends at once when the client leaves, and calls no engine', async () => {
    const { heard, failures } = listener()
    const found = Promise.withResolvers<string | null>()
    const call = wakingProvider({ wake: () => found.promise, engine: () => never }).start(requestOf({}), heard)
    call.abort()
    call.abort()
    found.resolve('http://a')
    await found.promise
    expect(failures).toMatchObject([{ kind: 'aborted' }])
  })
})

describe('an engine', () => {
  const ask = async (workspaceId: string, body: Record<string, unknown>, dialect?: ProviderRequest['dialect']) => {
    const { heard, events, failures } = listener()
    poolProvider({ upstream, workspaceId }, adapters).start(requestOf(body, dialect), heard)
    await eventually(() => expect(events.length + failures.length).toBe(1))
    return { events, failures, sent: bodies.at(-1) }
  }
  const messages = [{ role: 'user', content: 'Hello' }]

  it('gets the name of the adapter, and a salt that is that of the workspace alone', async () => {
    const one = await ask('w1', { model: 'ft:x', messages, cache_salt: 'chosen by a client' })
    expect(one.events).toEqual(['reply'])
    expect(one.sent).toMatchObject({ model: 'mv_1', messages, cache_salt: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await ask('w1', { messages })).sent?.cache_salt).toBe(one.sent?.cache_salt)
    expect((await ask('w2', { messages })).sent?.cache_salt).not.toBe(one.sent?.cache_salt)
  })

  it('is asked for chat completions, also where the provider of its model speaks Responses', async () => {
    const { events, sent } = await ask('w1', { model: 'ft:x', input: 'Hello' }, 'responses')
    expect(events).toEqual(['reply'])
    expect(sent).toMatchObject({ model: 'mv_1', messages })
  })

  it('that does not know the adapter is one that does not answer', async () => {
    status = 404
    expect((await ask('w1', { messages })).failures).toMatchObject([{ kind: 'unavailable' }])
  })
})
