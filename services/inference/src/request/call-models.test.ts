import { eventually } from '@ratchet/testing/eventually'
import { modelOf } from '../catalog/catalog.fixture.ts'
import { allWatches } from '../providers/calls/attempt-watch.ts'
import type { Deployment } from '../routing/deployment.ts'
import { createDeploymentHealth } from '../routing/deployment-health.ts'
import { createRetryBudget } from '../routing/retry-budget.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from '../wire/provider.ts'
import { type Candidate, callModels } from './call-models.ts'

const requestTo = (id: string) => ({ model: { ...modelOf(), id }, bytes: Buffer.from('{}') }) as ProviderRequest
const overloaded: ProviderFailure = { kind: 'unavailable', message: 'busy', retryAfterMs: null }

/** A provider that plays one script per attempt and counts the attempts. */
function scripted(...attempts: ((listener: ProviderListener) => void)[]) {
  const calls = { made: 0, aborted: 0 }
  const provider: Provider = {
    dialects: new Set(['chat']),
    start(_request, listener) {
      const script = attempts[calls.made]
      calls.made += 1
      setImmediate(() => script?.(listener))
      return { abort: () => (calls.aborted += 1), pause() {}, resume() {} }
    },
  }
  return { provider, calls }
}

function deployed(provider: Provider, { id = 'd', weight = 1, concurrencyMax = 100 } = {}): Deployment {
  const health = createDeploymentHealth({ concurrencyMax, clockMs: () => 0, random: () => 0, onEjected() {} })
  return { id, host: null, provider, upstreamModel: id, weight, health }
}

function candidate(model: string, deployments: readonly Deployment[], budget = createRetryBudget()): Candidate {
  return { request: requestTo(model), deployments, budget, alias: null }
}

function collect(provider: Provider, budget = createRetryBudget()) {
  return collectAll([candidate('a', [deployed(provider)], budget)])
}

function collectAll(candidates: readonly [Candidate, ...Candidate[]]) {
  const received: string[] = []
  const over = Promise.withResolvers<string[]>()
  const options = {
    candidates,
    random: () => 0,
    watchCalls: allWatches([]),
    onRetry: () => received.push('retry'),
    onFallback: (from: ProviderRequest, to: ProviderRequest) => received.push(`${from.model.id} → ${to.model.id}`),
  }
  const call = callModels(options, {
    onReply: () => over.resolve([...received, 'reply']),
    onStreamStart() {},
    onStreamData: (chunk) => received.push(chunk.toString()),
    onStreamEnd: () => over.resolve([...received, 'end']),
    onFailure: ({ kind }) => over.resolve([...received, kind]),
  })
  return { call, over: over.promise }
}

const fail = (failure: ProviderFailure) => (listener: ProviderListener) => listener.onFailure(failure)
const reply = (listener: ProviderListener) => listener.onReply({} as Parameters<ProviderListener['onReply']>[0])

describe('callModels', () => {
  it('retries twice before the first byte, then passes the answer on', async () => {
    const { provider, calls } = scripted(fail(overloaded), fail(overloaded), reply)
    expect(await collect(provider).over).toEqual(['retry', 'retry', 'reply'])
    expect(calls.made).toBe(3)
  })

  it('fails with the last failure after two retries', async () => {
    const { provider } = scripted(...Array(5).fill(fail(overloaded)))
    expect(await collect(provider).over).toEqual(['retry', 'retry', 'unavailable'])
  })

  it.each(['refused', 'timed_out', 'misconfigured', 'broken'] as const)('does not retry what was %s', async (kind) => {
    const { provider, calls } = scripted(fail({ ...overloaded, kind }))
    expect(await collect(provider).over).toEqual([kind])
    expect(calls.made).toBe(1)
  })

  it('never retries after the first byte of the answer', async () => {
    const { provider, calls } = scripted((listener) => {
      listener.onStreamData(Buffer.from('a'))
      listener.onFailure(overloaded)
    }, reply)
    expect(await collect(provider).over).toEqual(['a', 'unavailable'])
    expect(calls.made).toBe(1)
  })

  it('does not wait for a Retry-After that is too long', async () => {
    const { provider, calls } = scripted(fail({ ...overloaded, kind: 'throttled', retryAfterMs: 60_000 }))
    expect(await collect(provider).over).toEqual(['throttled'])
    expect(calls.made).toBe(1)
  })

  it('can be aborted while it waits for a retry', async () => {
    const { provider, calls } = scripted(fail({ ...overloaded, retryAfterMs: 5_000 }), reply)
    const { call, over } = collect(provider)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    call.abort()
    expect(await over).toEqual(['retry', 'aborted'])
    expect(calls.made).toBe(1)
  })

  it('does not multiply an outage: retries are a fifth of the calls in flight, or three', async () => {
    const budget = createRetryBudget()
    const waiting = fail({ ...overloaded, retryAfterMs: 9_000 })
    const calls = Array.from({ length: 20 }, () => collect(scripted(waiting, reply).provider, budget))
    const failed = await Promise.all(calls.slice(4).map(({ over }) => over))
    expect(failed.every((received) => received.at(-1) === 'unavailable')).toBe(true)
    for (const { call } of calls) call.abort()
    expect((await Promise.all(calls.slice(0, 4).map(({ over }) => over))).flat()).toEqual(
      Array(4).fill(['retry', 'aborted']).flat(),
    )
  })

  it('calls the next model after the last retry, with a new number of retries', async () => {
    const first = scripted(fail(overloaded), fail(overloaded), fail(overloaded))
    const second = scripted(fail(overloaded), reply)
    const { call, over } = collectAll([
      candidate('a', [deployed(first.provider)]),
      candidate('b', [deployed(second.provider)]),
    ])
    expect(await over).toEqual(['retry', 'retry', 'a → b', 'retry', 'reply'])
    expect(call.servedRequest.model.id).toBe('b')
  })

  it.each(['throttled', 'unavailable', 'timed_out', 'misconfigured'] as const)(
    'continues with the next model when one is %s',
    async (kind) => {
      const first = scripted(...Array(3).fill(fail({ ...overloaded, kind })))
      const { over } = collectAll([
        candidate('a', [deployed(first.provider)]),
        candidate('b', [deployed(scripted(reply).provider)]),
      ])
      expect((await over).slice(-2)).toEqual(['a → b', 'reply'])
    },
  )

  it.each(['refused', 'broken'] as const)('does not call another model for what was %s', async (kind) => {
    const second = scripted(reply)
    const first = scripted(fail({ ...overloaded, kind }))
    const { over } = collectAll([
      candidate('a', [deployed(first.provider)]),
      candidate('b', [deployed(second.provider)]),
    ])
    expect(await over).toEqual([kind])
    expect(second.calls.made).toBe(0)
  })

  it('never calls another model after the first byte of the answer', async () => {
    const first = scripted((listener) => {
      listener.onStreamData(Buffer.from('a'))
      listener.onFailure(overloaded)
    })
    const second = scripted(reply)
    const { over } = collectAll([
      candidate('a', [deployed(first.provider)]),
      candidate('b', [deployed(second.provider)]),
    ])
    expect(await over).toEqual(['a', 'unavailable'])
    expect(second.calls.made).toBe(0)
  })

  it('retries on another deployment of the model', async () => {
    const here = scripted(fail(overloaded), reply)
    const there = scripted(reply)
    const { over } = collectAll([candidate('a', [deployed(here.provider), deployed(there.provider)])])
    expect(await over).toEqual(['retry', 'reply'])
    expect([here.calls.made, there.calls.made]).toEqual([1, 1])
  })

  it('fails as saturated when every deployment is full, unless another model has room', async () => {
    const busy = deployed(scripted().provider, { concurrencyMax: 1 })
    busy.health.tryEnter()
    expect(await collectAll([candidate('a', [busy])]).over).toEqual(['saturated'])
    const free = candidate('b', [deployed(scripted(reply).provider)])
    expect(await collectAll([candidate('a', [busy]), free]).over).toEqual(['a → b', 'reply'])
  })

  it('leaves every deployment, whatever the outcome of its calls', async () => {
    const ends = [reply, fail(overloaded), fail({ ...overloaded, kind: 'refused' }), reply]
    const deployment = deployed(scripted(...ends).provider)
    await collectAll([candidate('a', [deployment])]).over
    await collectAll([candidate('a', [deployment])]).over
    expect(deployment.health.inFlight).toBe(0)
  })

  it('starts over when the first frame of a stream reports a failure, and ignores the rest of that stream', async () => {
    let first: ProviderListener | undefined
    const { provider, calls } = scripted((listener) => {
      first = listener
      listener.onStreamData(Buffer.from('error'))
    }, reply)
    const { call, over } = collect(provider)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    call.startOver(overloaded)
    first?.onStreamData(Buffer.from('late'))
    first?.onFailure({ ...overloaded, kind: 'aborted' })
    expect(await over).toEqual(['error', 'retry', 'reply'])
    expect(calls).toEqual({ made: 2, aborted: 1 })
  })

  it('calls the next model when streams repeatedly report only a failure', async () => {
    const fails = (listener: ProviderListener) => listener.onStreamData(Buffer.from('error'))
    const first = scripted(fails, fails, fails)
    const { call, over } = collectAll([
      candidate('a', [deployed(first.provider)]),
      candidate('b', [deployed(scripted(reply).provider)]),
    ])
    for (let made = 1; made <= 3; made += 1) {
      await eventually(() => expect(first.calls.made).toBe(made))
      await new Promise((resolve) => setImmediate(resolve))
      call.startOver(overloaded)
    }
    expect(await over).toEqual(['error', 'retry', 'error', 'retry', 'error', 'a → b', 'reply'])
  })
})
