import { randomBytes } from 'node:crypto'
import { type Identity, identityHeader, Purpose, requestIdHeader } from '@ratchet/contracts/identity'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { createMemoryIdempotencyStore } from '../idempotency/memory-idempotency.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Provider, ProviderListener } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { aliasesOf, aliasRoute } from '../workspace-settings/alias-route.fixture.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { completion, question, testRequestId, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const full = 1_000_000_000n
const capId = '00000000-0000-7000-8000-0000000000c1'
const windowStart = '2026-11-16T00:00:00.000Z'
const window = { id: capId, windowStart: new Date(windowStart) }
const judge = { purpose: 'judge' as const }
const under = (capNano: string) => ({ ...judge, spendCap: { id: capId, capNano, windowStart } })

interface Sent {
  readonly as?: Pick<Identity, 'purpose' | 'spendCap'>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** A workspace with every option enabled, over a provider that answers at once or fails. */
function testApp(given: { settings?: Partial<WorkspaceSettings>; deps?: Partial<InferenceDeps>; fails?: string } = {}) {
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, full)
  const called: string[] = []
  let now = testNow()
  const provider: Provider = {
    dialects: new Set(['chat']),
    start({ model }, listener) {
      called.push(model.id)
      setImmediate(() => (model.id === given.fails ? fails(listener) : replies(listener)))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
  const settings = { ...defaultSettings, loggingEnabled: true, responseCache: true, ...given.settings }
  const logged: unknown[] = []
  const deps = testDeps(provider, {
    catalog: catalogOf([modelEntry('acme/fast'), modelEntry('acme/other')]),
    ledger,
    identityKeys: [key],
    idempotency: createMemoryIdempotencyStore({ now: () => now }),
    capture: { add: (exchange) => void logged.push(exchange), skipTooLarge() {}, async stop() {} },
    settings: { of: () => settings },
    ...given.deps,
  })
  const app = createApp(deps)
  return {
    ledger,
    called,
    logged,
    pass: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
    send: ({ as = judge, headers = { 'idempotency-key': 'a-key' }, body = question }: Sent = {}) => {
      const bound = { audience: 'inference', requestId: testRequestId, method: 'POST', path }
      const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'member' as const }
      const signed = signAsCaller(key, bound, { ...caller, keyId: testWorkspaceId, ...as }, testNow().getTime())
      const own = { [requestIdHeader]: testRequestId, [identityHeader]: signed }
      return request(app)
        .post(path)
        .set({ ...own, ...headers })
        .send(body)
    },
  }
}

function replies(listener: ProviderListener): void {
  const bytes = Buffer.from(JSON.stringify(completion))
  const read = readObject(bytes)
  if (read === null) throw new Error('unreadable')
  const usage = { ...noUsage, promptTokens: 3, completionTokens: 4 }
  listener.onReply({ bytes, scan: read.scan, usage, pieces: [] })
}

function fails(listener: ProviderListener): void {
  listener.onFailure({ kind: 'misconfigured', message: 'no', retryAfterMs: null })
}

const client = { as: {} }
const keyed = (name: string) => ({ 'idempotency-key': name })

describe('an internal call', () => {
  it('gets its cost and its provider in headers, the first time and in a replay', async () => {
    const { send, called, ledger } = testApp()
    const [first, again] = [await send(), await send()]
    const reported = {
      'x-internal-cost-nano': '3000',
      'x-internal-provider': 'acme',
      'x-svc-served-model': 'acme/fast',
    }
    expect(first).toMatchObject({ status: 200, headers: { ...reported, 'x-svc-cache': 'off' } })
    expect(again).toMatchObject({ status: 200, headers: { ...reported, 'idempotent-replay': 'true' } })
    expect(first.headers).not.toHaveProperty('idempotent-replay')
    expect(called).toEqual(['acme/fast'])
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full - 3_000n, heldNano: 0n })
  })

  it('gets the real charge, not the estimated one', async () => {
    const ledgerState = createMemoryLedger()
    ledgerState.topUp(testWorkspaceId, full)
    const settle: typeof ledgerState.settle = async (closing) => {
      await ledgerState.settle({ ...closing, costNano: 2_000n })
      return ledgerState.settle(closing)
    }
    const { send } = testApp({ deps: { ledger: { ...ledgerState, settle } } })
    expect((await send()).headers['x-internal-cost-nano']).toBe('2000')
    expect((await send()).headers['x-internal-cost-nano']).toBe('2000')
  })

  it('gets the latency from the request on without the charge, and the same in a replay', async () => {
    let now = testNow()
    const ledgerState = createMemoryLedger()
    ledgerState.topUp(testWorkspaceId, full)
    const after = <A, R>(ms: number, work: (asked: A) => Promise<R>) => {
      return (asked: A) => {
        now = new Date(now.getTime() + ms)
        return work(asked)
      }
    }
    const ledger = { ...ledgerState, hold: after(1_500, ledgerState.hold), settle: after(9_000, ledgerState.settle) }
    const { send } = testApp({ deps: { ledger, now: () => now } })
    const took = { headers: { 'x-internal-latency-ms': '1500' } }
    expect([await send(), await send()]).toMatchObject([took, took])
    expect((await send({ ...client, headers: {} })).headers).not.toHaveProperty('x-internal-latency-ms')
  })

  it('gets no latency from a record that is older than that header', async () => {
    const records = createMemoryIdempotencyStore({ now: testNow })
    const record: typeof records.record = (claim, { headers, ...answer }) => {
      const { 'x-internal-latency-ms': _none, ...others } = headers
      return records.record(claim, { ...answer, headers: others })
    }
    const { send } = testApp({ deps: { idempotency: { ...records, record } } })
    expect((await send()).headers).toHaveProperty('x-internal-latency-ms')
    const again = await send()
    expect(again.headers).toMatchObject({ 'idempotent-replay': 'true', 'x-internal-provider': 'acme' })
    expect(again.headers).not.toHaveProperty('x-internal-latency-ms')
  })

  it('is billed under its purpose', async () => {
    const kinds: string[] = []
    const ledgerState = createMemoryLedger()
    ledgerState.topUp(testWorkspaceId, full)
    const hold: typeof ledgerState.hold = async (held) => {
      kinds.push(held.kind)
      return ledgerState.hold(held)
    }
    const { send } = testApp({ deps: { ledger: { ...ledgerState, hold } } })
    for (const purpose of Purpose.options) await send({ as: { purpose } })
    await send(client)
    expect(kinds).toEqual(['judge', 'eval', 'assist', 'shadow', 'grpo', 'raft', 'distill', 'chat'])
  })

  it('is never logged, whatever its headers are, while the call of a client is', async () => {
    const { send, logged } = testApp()
    for (const purpose of Purpose.options) {
      await send({ as: { purpose }, headers: { ...keyed('a'), 'x-svc-log': 'on' } })
    }
    expect(logged).toHaveLength(0)
    await send(client)
    expect(logged).toHaveLength(1)
  })

  it('never gets an answer from the cache, whatever its headers are', async () => {
    const { send, called } = testApp()
    await send({ ...client, headers: {} })
    for (const purpose of Purpose.options) {
      const answer = await send({ as: { purpose }, headers: { ...keyed('a'), 'x-svc-cache': 'on' } })
      expect(answer.headers['x-svc-cache']).toBe('off')
    }
    expect(called).toHaveLength(1 + Purpose.options.length)
  })

  it('stores no answer in the cache', async () => {
    const { send } = testApp()
    for (const purpose of Purpose.options) {
      await send({ as: { purpose }, headers: { ...keyed('a'), 'x-svc-cache': 'on' } })
    }
    expect((await send({ ...client, headers: {} })).headers['x-svc-cache']).toBe('miss')
  })

  it('counts against no rate limit', async () => {
    const none = { requestsPerMinute: 0, tokensPerMinute: 0 }
    const settings = { limits: none, keyLimits: new Map([[testWorkspaceId, none]]) }
    const { send } = testApp({ settings })
    expect((await send(client)).status).toBe(429)
    const answer = await send()
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('x-ratelimit-limit-requests')
  })

  it('is answered by the model that it names, or by the fallbacks that it names itself', async () => {
    const { send, called } = testApp({ settings: { fallbackModels: ['acme/other'] }, fails: 'acme/fast' })
    expect((await send()).status).toBe(502)
    expect(called).toEqual(['acme/fast'])
    const named = await send({ headers: keyed('b'), body: { ...question, models: ['acme/fast', 'acme/other'] } })
    expect(named).toMatchObject({ status: 200, headers: { 'x-svc-served-model': 'acme/other' } })
  })

  it('does not resolve the aliases of the workspace', async () => {
    const { send, called } = testApp({ settings: { aliases: aliasesOf(aliasRoute()) } })
    const body = { ...question, model: 'support-bot' }
    expect(await send({ body })).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } })
    expect(called).toEqual([])
    expect((await send({ ...client, body })).headers['x-svc-alias']).toBe('support-bot')
  })

  it('needs an idempotency key, because it must be possible to retry it', async () => {
    const { send, called } = testApp()
    expect(await send({ headers: {} })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', param: 'Idempotency-Key' } },
    })
    expect(called).toEqual([])
  })

  it('shares its key neither with a client nor with another purpose', async () => {
    const { send, called } = testApp({ settings: { responseCache: false } })
    await send(client)
    for (const purpose of ['judge', 'eval'] as const) {
      expect((await send({ as: { purpose } })).headers).not.toHaveProperty('idempotent-replay')
    }
    expect(called).toHaveLength(3)
  })

  it('can be retried for a week, the call of a client for a day', async () => {
    const { send, called, pass } = testApp({ settings: { responseCache: false } })
    await send()
    await send(client)
    pass(86_400_000)
    await send(client)
    expect(called).toHaveLength(3)
    pass(6 * 86_400_000 - 1)
    expect((await send()).headers['idempotent-replay']).toBe('true')
    pass(1)
    expect((await send()).headers).not.toHaveProperty('idempotent-replay')
  })
})

describe('an internal call under a spend cap', () => {
  it('counts its real cost under the cap', async () => {
    const { send, ledger } = testApp()
    expect((await send({ as: under('1000000000') })).status).toBe(200)
    expect(ledger.cap(testWorkspaceId, window)).toEqual({ capNano: full, spentNano: 3_000n, heldNano: 0n })
  })

  it("is refused with the cap's own code when the cap does not cover it, and accepted once it does", async () => {
    const { send, called, ledger } = testApp()
    expect(await send({ as: under('3000') })).toMatchObject({
      status: 402,
      body: { error: { code: 'spend_cap_reached', type: 'insufficient_quota' } },
    })
    expect(called).toEqual([])
    expect(ledger.wallet(testWorkspaceId)).toEqual({ balanceNano: full, heldNano: 0n })
    expect((await send({ as: under('0') })).status).toBe(200)
  })

  it('is refused for the wallet when the wallet does not cover it', async () => {
    const { send } = testApp({ deps: { ledger: createMemoryLedger() } })
    const answer = await send({ as: under('1') })
    expect(answer).toMatchObject({ status: 402, body: { error: { code: 'insufficient_balance' } } })
  })

  it('returns what a failed call held to the cap', async () => {
    const { send, ledger } = testApp({ fails: 'acme/fast' })
    expect((await send({ as: under('1000000000') })).status).toBe(502)
    expect(ledger.cap(testWorkspaceId, window)).toMatchObject({ spentNano: 0n, heldNano: 0n })
  })
})

it('is not possible through the headers of a client', async () => {
  const { send } = testApp()
  const reported = { 'x-internal-cost-nano': '1', 'x-internal-latency-ms': '1' }
  const headers = { 'x-internal-purpose': 'judge', purpose: 'judge', ...reported }
  const answer = await send({ ...client, headers })
  expect(answer.status).toBe(200)
  expect(answer.headers).not.toHaveProperty('x-internal-cost-nano')
  expect(answer.headers).not.toHaveProperty('x-internal-latency-ms')
  expect(answer.headers).not.toHaveProperty('x-internal-provider')
})
