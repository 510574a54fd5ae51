import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import { testDeps } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { readChatReply } from '../wire/chat/read-reply.ts'
import type { Provider, ProviderListener } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { createAbandonedCalls } from './abandoned-calls.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const requestId = '00000000-0000-7000-8000-000000000001'
const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'x'.repeat(4_000) }]

/** A quarter of the bytes of the body, as tokens of 0.15 dollars per million, rounded up to a micro-dollar. */
const promptNano = (body: object) => micro(Math.ceil(JSON.stringify(body).length / 4) * 150)
const micro = (nano: number) => BigInt(Math.ceil(nano / 1_000) * 1_000)

const servers: { close(): unknown }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/**
 * Sends a request to a provider that the test controls, and disconnects when the provider has it and the test did its
 * part.
 */
async function leave(
  body: object,
  act: (listener: ProviderListener, next: () => Promise<ProviderListener>) => void | Promise<void>,
  changes: Partial<InferenceDeps> = {},
) {
  let reached = Promise.withResolvers<ProviderListener>()
  const aborted = Promise.withResolvers<void>()
  const provider: Provider = {
    dialects: new Set(['chat']),
    start(_request, listener) {
      reached.resolve(listener)
      const abort = () => {
        aborted.resolve()
        listener.onFailure({ kind: 'aborted', message: 'The call was stopped.', retryAfterMs: null })
      }
      return { abort, pause() {}, resume() {} }
    },
  }
  const ledger = createMemoryLedger()
  ledger.topUp(workspaceId, 1_000_000_000n)
  const thinking = { capabilities: ['chat', 'streaming', 'reasoning'] }
  const catalog = catalogOf([modelEntry('acme/fast'), modelEntry('acme/deep', thinking)])
  const deps = testDeps(provider, { ledger, catalog, identityKeys: [key], ...changes })
  const app = createApp(deps)
  const closed = Promise.withResolvers<void>()
  const server = createServer((incoming, response) => {
    response.once('close', closed.resolve)
    app(incoming, response)
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const bound = { audience: 'inference', requestId, method: 'POST', path }
  const identity = { workspaceId, userId: workspaceId, role: 'member' as const, keyId: workspaceId }
  const signature = signIdentity(key, bound, identity, Date.parse('2026-01-01T00:00:00Z'))
  const headers = { [requestIdHeader]: requestId, [identityHeader]: signature, 'content-type': 'application/json' }
  const { port } = server.address() as AddressInfo
  const client = httpRequest({ port, path, method: 'POST', headers })
  client.on('error', () => undefined).end(JSON.stringify(body))
  const listener = await reached.promise
  const next = () => reached.promise
  reached = Promise.withResolvers<ProviderListener>()
  await act(listener, next)
  client.destroy()
  await closed.promise
  const settled = () =>
    eventually(() => {
      const { state, costNano } = ledger.request(requestId) ?? {}
      expect(state).not.toBe('open')
      expect(ledger.wallet(workspaceId).heldNano).toBe(0n)
      return { state, costNano }
    })
  const charged = () => ledger.request(requestId)?.costNano ?? 0n
  const heldNano = () => ledger.request(requestId)?.holdNano
  return { listener, deps, settled, charged, heldNano, aborted: aborted.promise }
}

const nothing = () => undefined
const frame = (fields: object) => Buffer.from(`data: ${JSON.stringify(fields)}\n\n`)
const word = frame({ choices: [{ index: 0, delta: { content: 'blue' } }] })
const usage = { prompt_tokens: 1_000, completion_tokens: 9_000 }
const failed = { kind: 'broken', message: 'The provider broke off its answer.', retryAfterMs: null } as const

describe('an unstreamed call whose client disconnected', () => {
  const body = { model: 'acme/fast', messages }

  it('is completed and charged in full', async () => {
    const { listener, deps, settled } = await leave(body, nothing)
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    const reply = readChatReply(Buffer.from(JSON.stringify({ choices: [{ index: 0, message: {} }], usage })))
    if (reply === null) throw new Error('unreadable')
    listener.onReply(reply)
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(1_000 * 150 + 9_000 * 600) })
    await deps.abandoned.charged()
  })

  it('costs nothing when the provider fails', async () => {
    const { listener, deps, settled } = await leave(body, nothing)
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    listener.onFailure(failed)
    expect(await settled()).toMatchObject({ state: 'voided' })
  })

  it('is stopped and pays its prompt when too many continue', async () => {
    const abandoned = createAbandonedCalls({ maxPerWorkspace: 0, maxPerProcess: 0 })
    const { settled, aborted } = await leave(body, nothing, { abandoned })
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(body) })
  })

  it('is stopped and pays its prompt at the end of a drain', async () => {
    const { deps, settled, aborted } = await leave(body, nothing)
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    deps.abandoned.expire()
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(body) })
    await deps.abandoned.charged()
  })

  it('costs nothing when the gateway itself disconnected it at the end of a drain', async () => {
    const abandoned = createAbandonedCalls()
    const { settled } = await leave(body, () => abandoned.expire(), { abandoned })
    expect(await settled()).toMatchObject({ state: 'voided' })
  })
})

describe('a stream whose client disconnected', () => {
  const body = { model: 'acme/fast', messages, stream: true }
  const deep = { ...body, model: 'acme/deep' }

  it('pays its prompt when the provider accepts the request after that, which is then stopped', async () => {
    const { listener, deps, settled, aborted } = await leave(body, nothing)
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    listener.onStreamStart(null)
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(body) })
    await deps.abandoned.charged()
  })

  it.each<readonly [string, (listener: ProviderListener, deps: InferenceDeps) => void]>([
    ['fails', (listener) => listener.onFailure(failed)],
    ['answers too late', (_listener, deps) => deps.abandoned.expire()],
  ])('costs nothing when the provider %s instead of accepting it', async (_what, end) => {
    const { listener, deps, settled, charged } = await leave(body, nothing)
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    end(listener, deps)
    await settled()
    expect(charged()).toBe(0n)
    await deps.abandoned.charged()
  })

  it('pays its prompt before the provider accepts the request when too many continue', async () => {
    const abandoned = createAbandonedCalls({ maxPerWorkspace: 0, maxPerProcess: 0 })
    const { settled, aborted } = await leave(deep, nothing, { abandoned })
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(deep) })
  })

  it('pays only what is counted when other workspaces take all places', async () => {
    const abandoned = createAbandonedCalls({ maxPerWorkspace: 8, maxPerProcess: 1 })
    abandoned.enter({ workspaceId: 'another', maxMs: 60_000, stop: nothing })
    const { settled, aborted } = await leave(deep, (listener) => listener.onStreamStart(null), { abandoned })
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(deep) })
  })

  it('costs nothing when only a call before its fallback was accepted', async () => {
    const silent = { kind: 'timed_out', message: 'The provider took too long.', retryAfterMs: null } as const
    let fallback: ProviderListener | undefined
    const { deps, settled, charged } = await leave(
      { ...body, models: ['acme/fast', 'acme/deep'] },
      async (listener, next) => {
        listener.onStreamStart({ usage: null, hiddenTokens: 5_000 })
        listener.onFailure(silent)
        fallback = await next()
      },
    )
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    fallback?.onFailure(failed)
    await settled()
    expect(charged()).toBe(0n)
  })

  it('pays its prompt after that', async () => {
    const { settled, aborted } = await leave(body, (listener) => listener.onStreamStart(null))
    await aborted
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(body) })
  })

  it('is stopped at once when every token was visible', async () => {
    const { settled, aborted } = await leave(body, (listener) => {
      listener.onStreamStart(null)
      listener.onStreamData(word)
    })
    await aborted
    expect(await settled()).toMatchObject({ state: 'posted' })
  })

  it('is read for its usage when the model may reason invisibly', async () => {
    const { listener, deps, settled } = await leave(deep, (listener) => {
      listener.onStreamStart(null)
      listener.onStreamData(word)
    })
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    listener.onStreamData(frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
    listener.onStreamData(frame({ choices: [], usage }))
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(1_000 * 150 + 9_000 * 600) })
    await deps.abandoned.charged()
  })

  it('pays for silence in which the model may reason, when no usage comes', async () => {
    const started = Date.parse('2026-01-01T00:00:00Z')
    let seconds = 0
    const now = () => new Date(started + seconds * 1_000)
    const { deps, settled } = await leave(
      deep,
      (listener) => {
        listener.onStreamStart(null)
        seconds = 20
        listener.onStreamData(word)
        seconds = 20.5
        listener.onStreamData(word)
      },
      { now },
    )
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    seconds = 30.5
    deps.abandoned.expire()
    const exact = Math.ceil(JSON.stringify(deep).length / 4) * 150 + (2 + 30 * 50) * 600
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(exact) })
  })

  it('pays all that was held when the model may reason invisibly and too many continue', async () => {
    const abandoned = createAbandonedCalls({ maxPerWorkspace: 0, maxPerProcess: 0 })
    const take = (listener: ProviderListener) => listener.onStreamStart(null)
    const { settled, heldNano } = await leave({ ...deep, max_tokens: 5_000 }, take, { abandoned })
    expect(await settled()).toEqual({ state: 'posted', costNano: heldNano() })
    expect(heldNano()).toBeGreaterThan(5_000n * 600n)
  })

  it.each<readonly [string, (listener: ProviderListener, deps: InferenceDeps) => void]>([
    ['the provider breaks off', (listener) => listener.onFailure(failed)],
    ['a drain ends', (_listener, deps) => deps.abandoned.expire()],
  ])('pays what it took when %s before the usage', async (_what, end) => {
    const { listener, deps, settled } = await leave(deep, (listener) => {
      listener.onStreamStart({ usage: null, hiddenTokens: 1_000 })
      listener.onStreamData(word)
    })
    await eventually(() => expect(deps.abandoned.size).toBe(1))
    end(listener, deps)
    const exact = Math.ceil(JSON.stringify(deep).length / 4) * 150 + 1_001 * 600
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(exact) })
    await deps.abandoned.charged()
  })
})

describe('an answer that cannot be used', () => {
  const streamed = { model: 'acme/fast', stream: true, max_tokens: 100, messages }
  const plain = { model: 'acme/fast', max_tokens: 100, messages }
  const reported = { ...noUsage, promptTokens: 1_000, completionTokens: 90 }
  const unusable = { kind: 'broken', message: 'It cannot be read.', retryAfterMs: null } as const

  it('costs what the provider reported, and fails', async () => {
    const { settled } = await leave(plain, (listener) =>
      listener.onFailure({ ...unusable, spent: { usage: reported, hiddenTokens: 0 } }),
    )
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(1_000 * 150 + 90 * 600) })
  })

  it('costs its prompt and an estimate of the rest when the provider reported nothing', async () => {
    const { settled } = await leave(plain, (listener) =>
      listener.onFailure({ ...unusable, spent: { usage: null, hiddenTokens: 10 } }),
    )
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(plain) + micro(10 * 600) })
  })

  it('costs what was streamed of it, or the usage when that is more', async () => {
    const { settled } = await leave(streamed, (listener) => {
      listener.onStreamStart({ usage: reported, hiddenTokens: 0, isUnusable: true })
      listener.onStreamData(word)
      listener.onStreamData(frame({ error: { message: 'The answer failed.' } }))
    })
    expect(await settled()).toEqual({ state: 'posted', costNano: micro(1_000 * 150 + 90 * 600) })
  })

  it('costs nothing when the provider reports its own failure', async () => {
    const { settled } = await leave(streamed, (listener) => {
      listener.onStreamStart({ usage: reported, hiddenTokens: 0 })
      listener.onStreamData(word)
      listener.onStreamData(frame({ error: { message: 'Overloaded.' } }))
    })
    expect(await settled()).toMatchObject({ state: 'voided' })
  })
})

describe('a stream with a frame that cannot be read', () => {
  const body = { model: 'acme/fast', stream: true, max_tokens: 100, messages }
  const tooLarge = (listener: ProviderListener) => {
    listener.onStreamData(word)
    for (let size = 0; size < 1_200_000; size += 300_000) listener.onStreamData(Buffer.alloc(300_000, 'x'))
  }

  it('pays what was delivered when its workspace has no memory for the frame', async () => {
    const answers = createBodyBudget(400_000)
    answers.enter(workspaceId).add(300_000)
    const { settled } = await leave(body, tooLarge, { answers })
    const wordNano = 600
    expect(await settled()).toEqual({ state: 'posted', costNano: promptNano(body) + micro(wordNano) })
  })

  it('costs nothing when the frame is larger than any may be', async () => {
    const { settled } = await leave(body, tooLarge)
    expect(await settled()).toMatchObject({ state: 'voided' })
  })
})
