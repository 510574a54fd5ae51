import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { type IdempotencyStore, IdempotencyUnavailable } from '../idempotency/idempotency.ts'
import { createMemoryIdempotencyStore } from '../idempotency/memory-idempotency.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import type { RateLimiter } from '../rate-limits/rate-limit.ts'
import type { ResponseCache } from '../response-cache/response-cache.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Provider, ProviderListener } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { completion, question, testRequestId, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const full = 1_000_000_000n
const on = { 'x-svc-cache': 'on' }
const keyed = { 'idempotency-key': 'a-key' }

/** The inference app over a ledger in memory and a provider that answers at once. */
function testApp(changes: Partial<InferenceDeps> = {}, answer: (listener: ProviderListener) => void = replies) {
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, full)
  const said: string[] = []
  const provider: Provider = {
    dialects: new Set(['chat']),
    start(_request, listener) {
      said.push('called')
      setImmediate(() => answer(listener))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
  const settling: typeof ledger.settle = async (settle) => {
    said.push(`charged ${settle.costNano}`)
    return ledger.settle(settle)
  }
  const deps = testDeps(provider, { ledger: { ...ledger, settle: settling }, identityKeys: [key], ...changes })
  const app = createApp(deps)
  return { ledger, said, send: (headers = {}, body: object = question) => send(app, headers, body) }
}

async function send(app: ReturnType<typeof createApp>, headers: Readonly<Record<string, string>>, body: object) {
  const bound = { audience: 'inference', requestId: testRequestId, method: 'POST', path }
  const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'member' as const }
  const identity = signIdentity(key, bound, { ...caller, keyId: testWorkspaceId }, testNow().getTime())
  const signed = { [requestIdHeader]: testRequestId, [identityHeader]: identity }
  const answer = await request(app)
    .post(path)
    .set({ ...signed, ...headers })
    .send(body)
  return { status: answer.status, headers: answer.headers, code: answer.body.error?.code, text: answer.text }
}

function replies(listener: ProviderListener): void {
  const bytes = Buffer.from(JSON.stringify(completion))
  const read = readObject(bytes)
  if (read === null) throw new Error('unreadable')
  const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 }
  listener.onReply({ bytes, scan: read.scan, usage, pieces: [] })
}

function streams(listener: ProviderListener): void {
  const chunk = (choices: object[], more = {}) => `data: ${JSON.stringify({ id: 'c1', choices, ...more })}\n\n`
  const usage = { prompt_tokens: 3, completion_tokens: 4 }
  const end = chunk([{ index: 0, delta: { content: 'Rayleigh.' }, finish_reason: 'stop' }])
  listener.onStreamData(Buffer.from(`${end}${chunk([], { usage })}data: [DONE]\n\n`))
  listener.onStreamEnd()
}

function fails(listener: ProviderListener): void {
  listener.onFailure({ kind: 'misconfigured', message: 'no', retryAfterMs: null })
}

/** The store in memory with some methods replaced; it records what is abandoned. */
function storeWith(changes: Partial<IdempotencyStore>, said: string[] = []) {
  const store = createMemoryIdempotencyStore({ now: testNow })
  const abandon: IdempotencyStore['abandon'] = async (claim) => {
    said.push('abandoned')
    await store.abandon(claim)
  }
  return { ...store, abandon, ...changes }
}

/** A limiter that admits as scripted and records the corrections. */
function limiterOf(...admits: boolean[]) {
  const corrections: number[] = []
  const limiter: RateLimiter = {
    async admit() {
      const states = { requests: { limit: 9, remaining: 0, resetMs: 100 }, tokens: null }
      return admits.shift() === false
        ? { ok: false, ...states, retryAfterMs: 1_500, scope: 'workspace' }
        : { ok: true, ...states, estimate: { draws: [], from: 'local' } }
    },
    correct: (_admission, tokens) => void corrections.push(tokens),
  }
  return { limiter, corrections }
}

describe('a request with an idempotency key', () => {
  it('is answered by the provider once, and charged once', async () => {
    const { send, said, ledger } = testApp()
    const [first, second] = [await send(keyed), await send(keyed)]
    expect([first.status, second.status, second.headers['idempotent-replay']]).toEqual([200, 200, 'true'])
    expect(second.text).toBe(first.text)
    expect(said.filter((each) => each === 'called')).toHaveLength(1)
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it.each([false, true])('is recorded before it is charged, stream %s', async (stream) => {
    const order: string[] = []
    const store = createMemoryIdempotencyStore({ now: testNow })
    const record: IdempotencyStore['record'] = async (claim, answer) => {
      order.push(`recorded ${answer.costNano}`)
      return store.record(claim, answer)
    }
    const { send, said } = testApp({ idempotency: { ...store, record } }, stream ? streams : replies)
    await send(keyed, { ...question, stream })
    expect([...order, ...said]).toEqual(['recorded 3000', 'called', 'charged 3000'])
    const again = await send(keyed, { ...question, stream })
    expect(again.headers['idempotent-replay']).toBe('true')
    expect(again.text).toContain('Rayleigh.')
  })

  it('is charged by a replay when the process that recorded its answer died before the charge', async () => {
    const store = createMemoryIdempotencyStore({ now: testNow })
    const dying = testApp({ idempotency: store })
    await dying.send(keyed)
    const { send, said } = testApp({ idempotency: store })
    expect(await send(keyed)).toMatchObject({ status: 200 })
    expect(said).toEqual(['charged 3000'])
  })

  it('is a conflict that costs nothing when another process took over its claim', async () => {
    const { send, ledger } = testApp({ idempotency: storeWith({ record: async () => 'lost' }) })
    expect(await send(keyed)).toMatchObject({ status: 409, code: 'conflict' })
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full, heldNano: 0n })
  })

  it('is delivered and charged when its answer is too large to record', async () => {
    const { send, ledger } = testApp({ idempotency: storeWith({ record: async () => 'too_large' }) })
    expect(await send(keyed)).toMatchObject({ status: 200 })
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it.each(['claim', 'record'] as const)('is a 503 that costs nothing when the store cannot %s', async (name) => {
    const unavailable = async () => {
      throw new IdempotencyUnavailable('unavailable')
    }
    const { send, ledger, said } = testApp({ idempotency: storeWith({ [name]: unavailable }) })
    expect(await send(keyed)).toMatchObject({ status: 503, code: 'service_unavailable' })
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full, heldNano: 0n })
    expect(said).toEqual(name === 'claim' ? [] : ['called'])
  })

  it.each<[string, Parameters<typeof testApp>, Record<string, string>, object, number]>([
    ['the provider failed', [{}, fails], {}, question, 502],
    ['the model is none', [], {}, { ...question, model: 'acme/none' }, 404],
    ['a header is wrong', [], { 'x-svc-cache': 'maybe' }, question, 400],
    ['the limits are used up', [limiterOf(false)], {}, question, 429],
    ['the wallet is empty', [{ ledger: createMemoryLedger() }], {}, question, 402],
  ])('frees its key when %s', async (_name, [changes, answer], headers, body, status) => {
    const said: string[] = []
    const idempotency = storeWith({}, said)
    const { send } = testApp({ ...changes, idempotency }, answer)
    expect(await send({ ...keyed, ...headers }, body)).toMatchObject({ status })
    expect(said).toContain('abandoned')
    expect(idempotency.size).toBe(0)
  })

  it('is not read when the body is invalid', async () => {
    const idempotency = storeWith({ claim: () => Promise.reject(new Error('asked')) })
    expect(await testApp({ idempotency }).send(keyed, { ...question, messages: [] })).toMatchObject({ status: 400 })
  })
})

describe('the response cache', () => {
  it('answers an equal request without a hold and without a provider', async () => {
    const { send, said, ledger } = testApp()
    const [first, second] = [await send(on), await send(on)]
    expect([first.headers['x-svc-cache'], second.headers['x-svc-cache']]).toEqual(['miss', 'hit'])
    expect(said).toEqual(['called', 'charged 3000'])
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it('answers a request with a key for nothing, and records that answer under the key', async () => {
    const { send, said } = testApp()
    await send(on)
    const [hit, replay] = [await send({ ...on, ...keyed }), await send({ ...on, ...keyed })]
    expect([hit.headers['x-svc-cache'], hit.headers['idempotent-replay']]).toEqual(['hit', undefined])
    expect([replay.headers['idempotent-replay'], replay.text]).toEqual(['true', hit.text])
    expect(said).toEqual(['called', 'charged 3000'])
  })

  it('is ignored when its entry cannot be read', async () => {
    const body = Buffer.from('{"half')
    const cache: ResponseCache = { get: async () => ({ servedModel: 'acme/fast', dropped: '', body }), put() {} }
    const answer = await testApp({ cache }).send(on)
    expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-cache': 'miss' } })
  })
})

describe('the rate limits', () => {
  it('are corrected to the real usage of a model, of the cache and of failures', async () => {
    const { limiter, corrections } = limiterOf()
    const { send } = testApp({ limiter })
    await send(on)
    await send(on)
    expect(corrections).toEqual([7, 0])
    expect(await testApp({ limiter }, fails).send()).toMatchObject({ status: 502 })
    expect(corrections).toEqual([7, 0, 0])
    await testApp({ limiter }, streams).send({}, { ...question, stream: true })
    expect(corrections).toEqual([7, 0, 0, 7])
  })

  it('refuse a request before anything is held or called, with the error of OpenAI', async () => {
    const { limiter, corrections } = limiterOf(false)
    const { send, said, ledger } = testApp({ limiter })
    expect(await send(on)).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': '2', 'x-ratelimit-limit-requests': '9', 'x-ratelimit-reset-requests': '100ms' },
    })
    expect([said, corrections]).toEqual([[], []])
    expect(ledger.request(testRequestId)).toBeUndefined()
  })
})
