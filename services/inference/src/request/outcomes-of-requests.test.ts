import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import type { EndedRequest, FailedRequest } from '../outcomes/count-outcomes.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { createMemoryResponseCache } from '../response-cache/memory-response-cache.ts'
import type { Provider, ProviderFailure, ProviderListener } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { testIdentity, testRequestId, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const body = { model: 'acme/fast', messages: [{ role: 'user', content: 'My secret plan is to buy a lighthouse.' }] }

type Script = (listener: ProviderListener) => void

const replies: Script = (listener) => {
  const bytes = Buffer.from('{"id":"c1","object":"chat.completion","choices":[{"index":0}]}')
  const scan = scanJson(bytes, { maxDepth: 9, maxKeys: 99 })
  if (!scan.ok) throw new Error(scan.reason)
  listener.onReply({ bytes, scan, usage: { ...noUsage, promptTokens: 3, completionTokens: 4 }, pieces: [] })
}

const failsWith =
  (kind: ProviderFailure['kind'], more: Partial<ProviderFailure> = {}): Script =>
  (listener) =>
    listener.onFailure({ kind, message: 'It failed.', retryAfterMs: 60_000, ...more })

function testApp(script: Script, changes: Partial<InferenceDeps> = {}) {
  const ended: EndedRequest[] = []
  const failed: FailedRequest[] = []
  const provider: Provider = {
    dialects: new Set(['chat']),
    start(_request, listener) {
      setImmediate(() => script(listener))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, 10n ** 12n)
  const outcomes = {
    ended: (one: EndedRequest) => void ended.push(one),
    failed: (one: FailedRequest) => void failed.push(one),
  }
  const app = createApp(testDeps(provider, { ledger, outcomes, identityKeys: [key], ...changes }))
  const send = (sent: object = body, headers: Record<string, string> = {}, identity = testIdentity) => {
    const bound = { audience: 'inference', requestId: testRequestId, method: 'POST', path }
    const signature = signIdentity(key, bound, identity, testNow().getTime())
    const own = { [requestIdHeader]: testRequestId, [identityHeader]: signature, 'content-type': 'application/json' }
    return request(app)
      .post(path)
      .set({ ...own, ...headers })
      .send(sent)
  }
  return { send, ended, failed }
}

describe('a whole answer', () => {
  it('is counted with what it was for', async () => {
    const { send, ended, failed } = testApp(replies)
    await send(body, { 'x-svc-tag': 'support' })
    const { keyId, workspaceId } = testIdentity
    const facts = { workspaceId, keyId, model: 'acme/fast', provider: 'acme', tag: 'support', alias: null }
    const over = { requestId: testRequestId, outcome: 'answered', at: testNow(), latencyMs: 0 }
    expect(ended).toEqual([{ ...facts, ...over }])
    expect(failed).toEqual([])
  })

  it('is counted as stored when the cache or a replay gives it', async () => {
    const { send, ended } = testApp(replies, { cache: createMemoryResponseCache({ now: testNow }) })
    await send(body, { 'x-svc-cache': 'on' })
    await send(body, { 'x-svc-cache': 'on' })
    await send(body, { 'Idempotency-Key': 'k' })
    await send(body, { 'Idempotency-Key': 'k' })
    expect(ended.map(({ outcome }) => outcome)).toEqual(['answered', 'cached', 'answered', 'cached'])
  })

  it('is not counted when the fleet itself asks', async () => {
    const { send, ended, failed } = testApp(replies)
    await send(body, { 'Idempotency-Key': 'k' }, { ...testIdentity, purpose: 'judge' })
    await send({ model: 'acme/none' }, { 'Idempotency-Key': 'k2' }, { ...testIdentity, purpose: 'judge' })
    expect([ended, failed]).toEqual([[], []])
  })
})

const limits = { requestsPerMinute: 0, tokensPerMinute: null }
const poor = { ledger: createMemoryLedger() }

it.each<[string, Script, Partial<InferenceDeps>, object, object]>([
  ['no_credit', replies, poor, body, { errorCode: 'insufficient_balance', tries: 0, provider: null }],
  ['model_unknown', replies, {}, { ...body, model: 'acme/none' }, { model: 'acme/none', errorCode: 'model_not_found' }],
  ['provider_not_configured', replies, {}, { ...body, model: 'idle/x' }, { model: 'idle/x' }],
  ['invalid_request', replies, {}, { ...body, messages: [] }, { errorCode: 'invalid_request' }],
  [
    'provider_rate_limited',
    failsWith('throttled', { status: 429 }),
    {},
    body,
    { upstreamStatus: 429, provider: 'acme' },
  ],
  [
    'provider_refused',
    failsWith('refused', { status: 400, param: 'tools' }),
    {},
    body,
    { upstreamStatus: 400, tries: 1 },
  ],
  ['context_too_long', failsWith('refused', { code: 'context_length_exceeded' }), {}, body, {}],
  ['provider_down', failsWith('unavailable', { status: 503 }), {}, body, { upstreamStatus: 503 }],
  ['provider_timeout', failsWith('timed_out'), {}, body, { errorCode: 'request_timeout' }],
  ['provider_cut', failsWith('broken'), {}, body, { errorCode: 'upstream_error' }],
  ['provider_not_configured', failsWith('misconfigured', { status: 401 }), {}, body, { upstreamStatus: 401 }],
  ['ours', failsWith('no_room'), {}, body, { errorCode: 'service_unavailable' }],
])('a request without an answer has the cause %s', async (cause, script, changes, sent, row) => {
  const { send, failed, ended } = testApp(script, changes)
  expect((await send(sent)).status).toBeGreaterThanOrEqual(400)
  expect(failed).toMatchObject([{ outcome: cause, requestId: testRequestId, ...row }])
  expect(ended).toEqual([])
})

it.each([
  ['workspace_rate_limit', { limits }],
  ['key_rate_limit', { keyLimits: new Map([[testIdentity.keyId ?? '', limits]]) }],
] as const)('says whose limit refused: %s', async (cause, change) => {
  const settings = { of: () => ({ ...defaultSettings, ...change }) }
  const limiter = createRateLimiter({ redis: null, now: testNow, onEvent() {} })
  const { send, failed } = testApp(replies, { settings, limiter })
  await send()
  expect(failed).toMatchObject([{ outcome: cause }])
})

it.each([
  ['an error frame', 'data: {"error":{"message":"overloaded"}}\n\n', 'provider_cut'],
  ['no end', 'data: {"id":"c1","choices":[{"index":0,"delta":{"content":"a"}}]}\n\n', 'provider_cut'],
])('a stream with %s has a cause although its answer began', async (_what, frames, cause) => {
  const { send, failed, ended } = testApp((listener) => {
    listener.onStreamStart(null)
    listener.onStreamData(Buffer.from('data: {"id":"c1","choices":[{"index":0,"delta":{"content":"b"}}]}\n\n'))
    listener.onStreamData(Buffer.from(frames))
    listener.onStreamEnd()
  })
  await send({ ...body, stream: true }).catch(() => undefined)
  expect(failed).toMatchObject([{ outcome: cause, provider: 'acme', tries: 1 }])
  expect(ended).toEqual([])
})

it('never stores a part of the prompt, a key or an address with an error', async () => {
  const { content } = body.messages[0] ?? { content: '' }
  for (const message of [
    `Cannot answer "${content}"`,
    'Key sk-live-0123456789abcdef0123 is bad',
    'Write to ops@acme.example',
  ]) {
    const { send, failed } = testApp(failsWith('refused', { message }))
    await send()
    expect(failed[0]?.message).not.toMatch(/lighthouse|0123456789|acme\.example/)
  }
})
