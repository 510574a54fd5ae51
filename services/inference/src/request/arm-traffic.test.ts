import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import { testNow } from '../app.fixture.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { aliasRoute, testAliasId } from '../workspace-settings/alias-route.fixture.ts'
import { createAbandonedCalls } from './abandoned-calls.ts'
import { createActiveExchanges } from './active-exchanges.ts'
import { type AliasedApp, aliasedApp, answers, fails, firstWord, type Script, signed } from './aliased-app.fixture.ts'
import { question, testWorkspaceId } from './request-records.fixture.ts'

const path = '/v1/chat/completions'
const named = { ...question, model: 'support-bot' }
const keyed = { 'idempotency-key': 'a-key' }
const on = { 'x-svc-cache': 'on' }
const target = aliasRoute({ canaryModel: 'acme/new', epoch: 4 })
const canary = { ...target, canaryPercent: 100 }

/** The counts of an arm; those that are not given are zero. */
const counted = (changes: object = {}) => ({
  alias_id: testAliasId,
  epoch: 4,
  arm: 'target',
  assigned: 1,
  served: 1,
  errors: 0,
  cost_usd: 0,
  cost_usd_squared: 0,
  latencies: {},
  ...changes,
})
/** The count of one answer that cost 3 µ$ and took no time. */
const answered = { cost_usd: 0.000003, cost_usd_squared: 0.000003 ** 2, latencies: { 0: 1 } }

const refuses: Script = (listener) => listener.onFailure({ kind: 'refused', message: 'no', retryAfterMs: null })
const breaksOff: Script = (listener, asked) => {
  if (!asked.stream) return fails(listener, asked)
  listener.onStreamData(firstWord)
  listener.onStreamEnd()
}
const talksRubbish: Script = (listener) => listener.onStreamData(Buffer.from('data: {"cho\n\n'))

/** The counts that one request leaves. */
async function countsAfter(body: object, given: Partial<AliasedApp> = {}) {
  const { send, arms } = aliasedApp({ routes: [target], ...given })
  await send(body).catch(() => undefined)
  return arms.take()
}

describe('a request that an alias routed', () => {
  it.each([false, true])('counts for its arm with its cost and its time, stream %s', async (stream) => {
    expect(await countsAfter({ ...named, stream })).toEqual([counted(answered)])
    const byCanary = await countsAfter({ ...named, stream }, { routes: [canary] })
    expect(byCanary).toEqual([
      counted({ ...answered, arm: 'canary', cost_usd: expect.any(Number), cost_usd_squared: expect.any(Number) }),
    ])
    expect(byCanary[0]?.cost_usd).toBeGreaterThan(answered.cost_usd)
  })

  it('counts with the time from its arrival until its answer was complete', async () => {
    let ms = testNow().getTime()
    const slow: Script = (listener, asked) => {
      ms += 1_000
      answers(listener, asked)
    }
    for (const stream of [false, true]) {
      const given = { scripts: { 'acme/fast': slow }, changes: { now: () => new Date(ms) } }
      const [arm] = await countsAfter({ ...named, stream }, given)
      expect(arm?.latencies).toEqual({ 142: 1 })
    }
  })

  it.each<[string, Script, boolean]>([
    ['fails', fails, false],
    ['fails', fails, true],
    ['refuses', refuses, false],
    ['breaks off half-way', breaksOff, true],
    ['talks rubbish', talksRubbish, true],
  ])('counts as an error when the model %s', async (_name, script, stream) => {
    const counts = await countsAfter({ ...named, stream }, { scripts: { 'acme/fast': script } })
    expect(counts).toEqual([counted({ errors: 1 })])
  })

  it.each([false, true])(
    'counts as an error when a fallback answered, and the fallback counts nothing, stream %s',
    async (stream) => {
      const body = { ...named, models: ['acme/new'], stream }
      expect(await countsAfter(body, { scripts: { 'acme/fast': fails } })).toEqual([counted({ errors: 1 })])
      const anonymous = { 'acme/fast': fails, 'acme/new': fails }
      expect(await countsAfter(body, { scripts: anonymous })).toEqual([counted({ errors: 1 })])
    },
  )

  it('counts only as assigned when no model was called', async () => {
    const broke = { ledger: createMemoryLedger() }
    expect(await countsAfter(named, { changes: broke })).toEqual([counted({ served: 0 })])
  })

  it.each([
    ['is no longer a model', { canaryModel: 'acme/gone' }],
    ['is none for this surface', { canaryModel: 'acme/embed' }],
  ])('counts as an error when the model of its arm %s', async (_why, other) => {
    const counts = await countsAfter(named, { routes: [{ ...canary, ...other }] })
    expect(counts).toEqual([counted({ arm: 'canary', errors: 1 })])
  })

  it('counts as assigned when the cache answered it, and not at all when its key was replayed', async () => {
    const { send, arms } = aliasedApp({ routes: [target] })
    await send(named, on)
    await send(named, on)
    expect(arms.take()).toEqual([counted({ ...answered, assigned: 2 })])
    await send(named, keyed)
    await send(named, keyed)
    expect(arms.take()).toEqual([counted(answered)])
  })

  it('does not count as an error when the gateway shut down', async () => {
    const active = createActiveExchanges()
    const talks: Script = (listener) => {
      listener.onStreamData(firstWord)
      setImmediate(() => active.expire())
    }
    const given = { scripts: { 'acme/fast': talks }, changes: { active } }
    expect(await countsAfter({ ...named, stream: true }, given)).toEqual([counted()])
  })
})

describe('a client that disconnects', () => {
  /** Disconnects once the model was called. */
  async function leave(stream: boolean, headers: Readonly<Record<string, string>> = {}) {
    const asked = Promise.withResolvers<() => void>()
    const script: Script = (listener, request) => {
      if (stream) listener.onStreamData(firstWord)
      asked.resolve(() => answers(listener, request))
    }
    const abandoned = createAbandonedCalls()
    const app = aliasedApp({ routes: [target], scripts: { 'acme/fast': script }, changes: { abandoned } })
    const left = Promise.withResolvers<void>()
    const server = createServer((incoming, response) => {
      response.once('close', left.resolve)
      app.app(incoming, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const type = { 'content-type': 'application/json' }
    const client = httpRequest({ port, path, method: 'POST', headers: { ...signed(path), ...type, ...headers } })
    client.on('error', () => undefined).end(JSON.stringify({ ...named, stream }))
    const goOn = await asked.promise
    client.destroy()
    await left.promise
    server.close()
    return { ...app, abandoned, goOn }
  }

  it.each([false, true])('counts neither as an error nor with a time, stream %s', async (stream) => {
    const { arms, abandoned, ledger } = await leave(stream)
    abandoned.expire()
    await eventually(() => expect(ledger.wallet(testWorkspaceId).heldNano).toBe(0n))
    expect(arms.take()).toEqual([counted()])
  })

  it.each([
    ['recorded for its key', keyed],
    ['completed in order to be charged', {}],
  ])('counts with its answer when that is %s', async (_why, headers) => {
    const { arms, goOn, ledger } = await leave(false, headers)
    goOn()
    await eventually(() => expect(ledger.wallet(testWorkspaceId).heldNano).toBe(0n))
    expect(arms.take()).toEqual([counted(answered)])
  })
})

it('counts nothing for other requests, nor for aliases among their fallbacks', async () => {
  expect(await countsAfter(question)).toEqual([])
  const behind = { ...question, models: ['support-bot'] }
  const scripts = { 'acme/new': fails }
  expect(await countsAfter({ ...behind, model: 'acme/new' }, { scripts })).toEqual([])
})
