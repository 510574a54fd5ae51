import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity'
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
import { completion, question, testRequestId, testWorkspaceId } from './planned-request.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const full = 1_000_000_000n
const on = { 'x-svc-cache': 'on' }
const keyed = { 'idempotency-key': 'a-key' }

/** Inference over books in memory and a provider that answers at once. */
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

/** The store in memory with some of its answers replaced, and what it was told. */
function storeWith(changes: Partial<IdempotencyStore>, said: string[] = []) {
  const store = createMemoryIdempotencyStore({ now: testNow })
  const abandon: IdempotencyStore['abandon'] = async (claim) => {
    said.push('given up')
    await store.abandon(claim)
  }
  return { ...store, abandon, ...changes }
}

/** Admits as it is told to, and notes what requests turned out to use. */
function limiterOf(...admits: boolean[]) {
  const corrections: number[] = []
  const limiter: RateLimiter = {
    async admit() {
      const states = { requests: { limit: 9, remaining: 0, resetMs: 100 }, tokens: null }
      return admits.shift() === false
        ? { ok: false, ...states, retryAfterMs: 1_500 }
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

  it.each([false, true])('is kept before it is charged, stream %s', async (stream) => {
    const order: string[] = []
    const store = createMemoryIdempotencyStore({ now: testNow })
    const keep: IdempotencyStore['keep'] = async (claim, answer) => {
      order.push(`kept ${answer.costNano}`)
      return store.keep(claim, answer)
    }
    const { send, said } = testApp({ idempotency: { ...store, keep } }, stream ? streams : replies)
    await send(keyed, { ...question, stream })
    expect([...order, ...said]).toEqual(['kept 3000', 'called', 'charged 3000'])
    const again = await send(keyed, { ...question, stream })
    expect(again.headers['idempotent-replay']).toBe('true')
    expect(again.text).toContain('Rayleigh.')
  })

  it('charges what whoever kept the answer did not live to charge', async () => {
    const store = createMemoryIdempotencyStore({ now: testNow })
    const dying = testApp({ idempotency: store })
    await dying.send(keyed)
    const { send, said } = testApp({ idempotency: store })
    expect(await send(keyed)).toMatchObject({ status: 200 })
    expect(said).toEqual(['charged 3000'])
  })

  it('of an answer that somebody else gave meanwhile is a conflict, and costs nothing', async () => {
    const { send, ledger } = testApp({ idempotency: storeWith({ keep: async () => 'lost' }) })
    expect(await send(keyed)).toMatchObject({ status: 409, code: 'conflict' })
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full, heldNano: 0n })
  })

  it('is delivered and charged when its answer is too large to keep', async () => {
    const { send, ledger } = testApp({ idempotency: storeWith({ keep: async () => 'too_large' }) })
    expect(await send(keyed)).toMatchObject({ status: 200 })
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it.each(['claim', 'keep'] as const)('is a 503 that costs nothing where the records cannot %s', async (name) => {
    const away = async () => {
      throw new IdempotencyUnavailable('away')
    }
    const { send, ledger, said } = testApp({ idempotency: storeWith({ [name]: away }) })
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
  ])('frees its key where %s', async (_name, [changes, answer], headers, body, status) => {
    const said: string[] = []
    const idempotency = storeWith({}, said)
    const { send } = testApp({ ...changes, idempotency }, answer)
    expect(await send({ ...keyed, ...headers }, body)).toMatchObject({ status })
    expect(said).toContain('given up')
    expect(idempotency.size).toBe(0)
  })

  it('is not looked up where the body is none', async () => {
    const idempotency = storeWith({ claim: () => Promise.reject(new Error('asked')) })
    expect(await testApp({ idempotency }).send(keyed, { ...question, messages: [] })).toMatchObject({ status: 400 })
  })
})

describe('the cache', () => {
  it('has what a model answered, and asks for neither hold nor provider again', async () => {
    const { send, said, ledger } = testApp()
    const [first, second] = [await send(on), await send(on)]
    expect([first.headers['x-svc-cache'], second.headers['x-svc-cache']]).toEqual(['miss', 'hit'])
    expect(said).toEqual(['called', 'charged 3000'])
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it('answers a key for nothing, and from then on the key has that answer', async () => {
    const { send, said } = testApp()
    await send(on)
    const [hit, replay] = [await send({ ...on, ...keyed }), await send({ ...on, ...keyed })]
    expect([hit.headers['x-svc-cache'], hit.headers['idempotent-replay']]).toEqual(['hit', undefined])
    expect([replay.headers['idempotent-replay'], replay.text]).toEqual(['true', hit.text])
    expect(said).toEqual(['called', 'charged 3000'])
  })

  it('that has rubbish is as good as none', async () => {
    const body = Buffer.from('{"half')
    const cache: ResponseCache = { get: async () => ({ servedModel: 'acme/fast', body }), put() {} }
    const answer = await testApp({ cache }).send(on)
    expect(answer).toMatchObject({ status: 200, headers: { 'x-svc-cache': 'miss' } })
  })
})

describe('limits', () => {
  it('hear what was really used: by a model, by the cache, and by what failed', async () => {
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

  it('send away before anything is held or called, in OpenAI`s words', async () => {
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
