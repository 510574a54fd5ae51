import { randomBytes, randomUUID } from 'node:crypto'
import { costNanoHeader, type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testNow } from '../app.fixture.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { aliasedApp } from '../request/aliased-app.fixture.ts'
import { testWorkspaceId } from '../request/request-records.fixture.ts'
import { aliasRoute } from '../workspace-settings/alias-route.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const chat = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'Hi' }]

/** Inference for a workspace with a limit of one request a minute and an alias, called by the eval service. */
function called() {
  const logged: unknown[] = []
  const app = aliasedApp({
    routes: [aliasRoute({ name: 'helper' })],
    settings: { loggingEnabled: true, limits: { requestsPerMinute: 1, tokensPerMinute: 1 } },
    changes: {
      identityKeys: [key],
      limiter: createRateLimiter({ redis: null, now: testNow, onEvent() {} }),
      capture: { add: (exchange) => void logged.push(exchange), skipTooLarge() {}, async stop() {} },
    },
  })
  const keyId = randomUUID()
  const post = (path: string, body: object, identity: Partial<Identity> = {}, headers: Record<string, string> = {}) => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: 'POST', path }
    const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'admin' as const, keyId, ...identity }
    const signed = signIdentity(keyOfCaller(key, 'eval'), bound, caller, testNow().getTime())
    const own = { [requestIdHeader]: requestId, [identityHeader]: signed }
    return request(app.app)
      .post(path)
      .set({ ...own, ...headers })
      .send(body)
  }
  const quote = async (bodies: readonly object[], endpoint = chat) => {
    const texts = bodies.map((body) => JSON.stringify(body))
    return (await post('/internal/batch_quotes', { endpoint, bodies: texts })).body.data
  }
  return { ...app, logged, post, quote, keyId }
}

describe('a request of a batch', () => {
  const ofBatch = { channel: 'batch', batchHold: { id: randomUUID(), keepNano: '0' } } as const
  const body = { model: 'helper', messages, temperature: 0 }

  it('is traffic of clients, with the key of its batch, beside the limits per minute', async () => {
    const { post, logged, called: models, keyId } = called()
    const headers = { 'x-svc-tag': 'nightly', 'x-svc-trace-id': 'night-1' }
    for (const idempotency of ['a', 'b', 'c']) {
      const answer = await post(chat, body, ofBatch, { ...headers, 'idempotency-key': idempotency })
      expect([answer.status, answer.headers['x-svc-alias']]).toEqual([200, 'helper'])
      expect(BigInt(answer.headers[costNanoHeader] ?? 0)).toBeGreaterThan(0n)
    }
    expect(models).toHaveLength(3)
    expect(logged).toHaveLength(3)
    expect(logged[0]).toMatchObject({ meta: { traceId: 'night-1', tag: 'nightly', keyId, alias: 'helper' } })
  })

  it('is charged once under its key, which is no key of the workspace', async () => {
    const { post, called: models } = called()
    const [first, second] = [
      await post(chat, body, ofBatch, { 'idempotency-key': 'a' }),
      await post(chat, body, ofBatch, { 'idempotency-key': 'a' }),
    ]
    expect([first.status, second.status, second.headers['idempotent-replay']]).toEqual([200, 200, 'true'])
    expect(second.headers[costNanoHeader]).toBe(first.headers[costNanoHeader])
    expect(models).toHaveLength(1)
  })

  it('may not be measured as an internal call', async () => {
    expect((await called().post(chat, body, { ...ofBatch, purpose: 'judge' })).status).toBe(401)
  })
})

describe('quotes', () => {
  it('price the most that each request can cost, by the model that an alias leads to, and call nothing', async () => {
    const { quote, called: models } = called()
    const [small, large, alias] = await quote([
      { model: 'acme/fast', messages, max_tokens: 10 },
      { model: 'acme/fast', messages, max_tokens: 1_000 },
      { model: 'helper', messages, max_tokens: 10 },
    ])
    const difference = Number(BigInt(large.max_cost_nano) - BigInt(small.max_cost_nano))
    // The length of the number is a byte of the prompt, and costs are whole micro-dollars.
    expect(Math.abs(difference - 990 * 600)).toBeLessThanOrEqual(1_000)
    expect([small.model, alias.model]).toEqual(['acme/fast', 'helper'])
    expect(alias.max_cost_nano).toBe(small.max_cost_nano)
    expect(models).toEqual([])
  })

  it('name what is wrong with a request', async () => {
    const { quote } = called()
    const wrong = await quote([
      { model: 'acme/none', messages },
      { model: 'acme/fast' },
      { model: 'acme/fast', messages, stream: true },
      { model: 'acme/embed', messages },
    ])
    expect(wrong.map(({ error }: { error: { code: string; param: string } }) => [error.code, error.param])).toEqual([
      ['model_not_found', 'model'],
      ['invalid_request', 'messages'],
      ['unsupported_parameter', 'stream'],
      ['invalid_request', 'model'],
    ])
  })

  it.each([
    ['/v1/embeddings', { model: 'acme/embed', input: 'tea' }],
    ['/v1/responses', { model: 'acme/fast', input: 'Hi.' }],
    ['/v1/completions', { model: 'acme/fast', prompt: 'Hi.' }],
  ])('price %s', async (endpoint, body) => {
    const [quoted] = await called().quote([body], endpoint)
    expect(BigInt(quoted.max_cost_nano)).toBeGreaterThan(0n)
  })
})
