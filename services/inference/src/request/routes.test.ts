import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { eventually } from '@ratchet/testing/eventually'
import request from 'supertest'
import { testDeps } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { type Ledger, LedgerUnavailable } from '../ledger/ledger.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import type { Provider, ProviderListener } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const requestId = '00000000-0000-7000-8000-000000000001'
const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const body = { model: 'acme/fast', messages: [{ role: 'user', content: 'hi' }] }

type Script = (listener: ProviderListener) => void

/** The inference app over a ledger in memory and a provider that follows a script. */
function testApp(script: Script, changes: Partial<InferenceDeps> = {}) {
  const said: string[] = []
  const ledger = createMemoryLedger()
  ledger.topUp(workspaceId, 1_000_000_000n)
  const provider: Provider = {
    dialects: new Set(['chat']),
    start(_request, listener) {
      said.push(`provider called with ${ledger.request(requestId)?.state}`)
      setImmediate(() => script(listener))
      return { abort: () => said.push('aborted'), pause() {}, resume() {} }
    },
  }
  const deps = testDeps(provider, { ledger, identityKeys: [key], ...changes })
  return { app: createApp(deps), deps, ledger, said }
}

/** The headers that the edge sets. */
function signedHeaders() {
  const bound = { audience: 'inference', requestId, method: 'POST', path }
  const identity = { workspaceId, userId: workspaceId, role: 'member' as const, keyId: workspaceId }
  const signature = signIdentity(key, bound, identity, Date.parse('2026-01-01T00:00:00Z'))
  return { [requestIdHeader]: requestId, [identityHeader]: signature, 'content-type': 'application/json' }
}

function post(app: ReturnType<typeof createApp>, sent: object = body) {
  return request(app).post(path).set(signedHeaders()).send(sent)
}

/** A complete answer of three prompt and four completion tokens: 0.45 + 2.4 µ$, rounded up to 3. */
const replies: Script = (listener) => {
  const bytes = Buffer.from(
    '{"id":"c1","object":"chat.completion","choices":[{"index":0}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
  )
  const scan = scanJson(bytes, { maxDepth: 9, maxKeys: 99 })
  if (!scan.ok) throw new Error(scan.reason)
  listener.onReply({ bytes, scan, usage: { ...noUsage, promptTokens: 3, completionTokens: 4 }, pieces: [] })
}

const frame = (choice: object) => Buffer.from(`data: ${JSON.stringify({ id: 'c1', choices: [choice] })}\n\n`)
const word = frame({ index: 0, delta: { content: 'blue' } })

describe('POST /v1/chat/completions', () => {
  it('calls the provider under a hold and settles the cost before it answers', async () => {
    const { app, ledger, said } = testApp(replies)
    const response = await post(app)
    expect(response.status).toBe(200)
    expect(response.body.usage).toEqual({ prompt_tokens: 3, completion_tokens: 4, cost_usd: 0.000003 })
    expect(response.headers).toMatchObject({ 'x-svc-cost-usd': '0.000003', 'x-svc-served-model': 'acme/fast' })
    expect(said).toContain('provider called with open')
    expect(ledger.request(requestId)).toMatchObject({ state: 'posted', costNano: 3_000n })
    expect(ledger.wallet(workspaceId)).toEqual({ balanceNano: 999_997_000n, heldNano: 0n })
  })

  it.each([
    ['no such model', { model: 'acme/none' }, 404, 'model_not_found', 'model'],
    ['a provider without a key', { model: 'idle/x' }, 400, 'unknown_provider', 'model'],
    ['a dedicated endpoint', { model: 'dedicated/x' }, 404, 'dedicated_endpoint_not_found', 'model'],
    ['a model for something else', { model: 'acme/embed' }, 400, 'invalid_request', 'model'],
    ['a role that is no text', { messages: [{ role: 7 }] }, 400, 'invalid_request', 'messages.0.role'],
    ['a fallback that there is not', { models: ['acme/none'] }, 404, 'model_not_found', 'model'],
  ])('answers %s before it holds anything', async (_name, change, status, code, param) => {
    const { app, ledger, said } = testApp(replies)
    const response = await post(app, { ...body, ...change })
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([status, code, param])
    expect(ledger.request(requestId)).toBeUndefined()
    expect(said).toEqual([])
  })

  it('calls no provider when the wallet does not cover the maximum cost', async () => {
    const { app, said } = testApp(replies, { ledger: createMemoryLedger() })
    const response = await post(app)
    expect([response.status, response.body.error.code]).toEqual([402, 'insufficient_balance'])
    expect(said).toEqual([])
  })

  it('answers 503 with Retry-After when the ledger is unavailable', async () => {
    const unavailable = async () => {
      throw new LedgerUnavailable('unavailable', { uncertain: false })
    }
    const { app, said } = testApp(replies, { ledger: { ...createMemoryLedger(), hold: unavailable } })
    const response = await post(app)
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1'])
    expect(said).toEqual([])
  })

  it.each([false, true])(
    'calls no provider for a client that disconnected while the hold was taken, stream %s',
    async (stream) => {
      const asked = Promise.withResolvers<void>()
      const left = Promise.withResolvers<void>()
      const ledgerState = createMemoryLedger()
      ledgerState.topUp(workspaceId, 1_000_000_000n)
      const hold: Ledger['hold'] = async (requested) => {
        asked.resolve()
        await left.promise
        return ledgerState.hold(requested)
      }
      const { app, said } = testApp(replies, { ledger: { ...ledgerState, hold } })
      const server = createServer((incoming, response) => {
        response.once('close', left.resolve)
        app(incoming, response)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const leaving = httpRequest({ port, path, method: 'POST', headers: signedHeaders() })
      leaving.on('error', () => undefined).end(JSON.stringify({ ...body, stream }))
      await asked.promise
      leaving.destroy()
      await eventually(() => expect(ledgerState.request(requestId)).toMatchObject({ state: 'voided' }))
      server.close()
      expect(said).toEqual([])
    },
  )

  it('refuses a request without the signature of the edge', async () => {
    const { app, said } = testApp(replies)
    const response = await request(app).post(path).set(identityHeader, 'v1.k1.e30.AAAA').send(body)
    expect(response.status).toBe(401)
    expect(said).toEqual([])
  })

  it('releases the hold when the provider fails, and answers with the request id', async () => {
    const { app, ledger } = testApp(({ onFailure }) =>
      onFailure({ kind: 'unavailable', message: 'The provider answered 500.', retryAfterMs: null }),
    )
    const response = await post(app)
    expect([response.status, response.body.error.code, response.body.error.type]).toEqual([502, null, 'upstream_error'])
    expect(response.body.error.message).toContain(requestId)
    expect(ledger.wallet(workspaceId)).toEqual({ balanceNano: 1_000_000_000n, heldNano: 0n })
  })
})

describe('a streamed answer', () => {
  const streamed = { ...body, stream: true, stream_options: { include_usage: true } }

  it('passes frames on unchanged and ends with usage, cost and [DONE] once it is charged', async () => {
    const usage = 'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}\n\n'
    const { app, ledger } = testApp((listener) => {
      listener.onStreamData(Buffer.concat([word, Buffer.from(`${usage}data: [DONE]\n\n`)]))
      listener.onStreamEnd()
    })
    const { text } = await post(app, streamed)
    expect(text).toBe(`${word}${usage.replace('}}', ',"cost_usd":0.000003}}')}data: [DONE]\n\n`)
    expect(ledger.request(requestId)).toMatchObject({ state: 'posted', costNano: 3_000n })
  })

  it('adds [DONE] when the provider only closes the stream, also after a frame that it left open', async () => {
    const last = frame({ index: 0, delta: {}, finish_reason: 'stop' })
    const { app } = testApp((listener) => {
      listener.onStreamData(word)
      listener.onStreamData(last.subarray(0, -2))
      listener.onStreamEnd()
    })
    const { text } = await post(app, { ...body, stream: true })
    expect(text).toBe(`${word}${last}data: [DONE]\n\n`)
  })

  it.each<readonly [string, Script]>([
    ['breaks off', (listener) => listener.onStreamEnd()],
    ['reports an error', (listener) => listener.onStreamData(Buffer.from('data: {"error":{"message":"no"}}\n\n'))],
    ['sends rubbish', (listener) => listener.onStreamData(Buffer.from('data: {"cho\n\n'))],
  ])('costs nothing and ends with an error when the provider %s half-way', async (_name, half) => {
    const { app, ledger } = testApp((listener) => {
      listener.onStreamData(word)
      half(listener)
    })
    await expect(post(app, streamed)).rejects.toThrow(/aborted/)
    expect(ledger.wallet(workspaceId)).toEqual({ balanceNano: 1_000_000_000n, heldNano: 0n })
  })

  it('is an unstreamed 502 when the provider fails before its first frame', async () => {
    const { app, ledger } = testApp((listener) => listener.onStreamEnd())
    const response = await post(app, streamed)
    expect(response.status).toBe(502)
    expect(ledger.request(requestId)).toMatchObject({ state: 'voided' })
  })

  it('ends with an error when the drain runs out, and stops the provider', async () => {
    const { app, deps, ledger, said } = testApp((listener) => {
      listener.onStreamData(word)
      setImmediate(() => deps.active.expire())
    })
    await expect(post(app, streamed)).rejects.toThrow(/aborted/)
    expect(said).toContain('aborted')
    expect(ledger.wallet(workspaceId).heldNano).toBe(0n)
  })
})
