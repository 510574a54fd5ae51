import { eventually } from '@ratchet/testing/eventually'
import { modelOf } from '../catalog/catalog.fixture.ts'
import { allWatches } from '../providers/calls/attempt-watch.ts'
import type { Deployment } from '../routing/deployment.ts'
import { createDeploymentHealth } from '../routing/deployment-health.ts'
import { createRetryBudget } from '../routing/retry-budget.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from '../wire/provider.ts'
import { type Candidate, callModels } from './call-models.ts'

const requestTo = (id: string) => ({ model: { ...modelOf(), id } }) as ProviderRequest
const overloaded: ProviderFailure = { kind: 'unavailable', message: 'busy', retryAfterMs: null }

/** Plays one script per attempt and counts them. */
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

function hear(provider: Provider, budget = createRetryBudget()) {
  return hearAll([candidate('a', [deployed(provider)], budget)])
}

function hearAll(candidates: readonly [Candidate, ...Candidate[]]) {
  const heard: string[] = []
  const over = Promise.withResolvers<string[]>()
  const options = {
    candidates,
    random: () => 0,
    watchCalls: allWatches([]),
    onRetry: () => heard.push('retry'),
    onFallback: (from: ProviderRequest, to: ProviderRequest) => heard.push(`${from.model.id} → ${to.model.id}`),
  }
  const call = callModels(options, {
    onReply: () => over.resolve([...heard, 'reply']),
    onStreamData: (chunk) => heard.push(chunk.toString()),
    onStreamEnd: () => over.resolve([...heard, 'end']),
    onFailure: ({ kind }) => over.resolve([...heard, kind]),
  })
  return { call, over: over.promise }
}

const fail = (failure: ProviderFailure) => (listener: ProviderListener) => listener.onFailure(failure)
const reply = (listener: ProviderListener) => listener.onReply({} as Parameters<ProviderListener['onReply']>[0])

describe('callModels', () => {
  it('tries twice more before the first byte, then lets the answer through', async () => {
    const { provider, calls } = scripted(fail(overloaded), fail(overloaded), reply)
    expect(await hear(provider).over).toEqual(['retry', 'retry', 'reply'])
    expect(calls.made).toBe(3)
  })

  it('gives up after two retries with the last failure', async () => {
    const { provider } = scripted(...Array(5).fill(fail(overloaded)))
    expect(await hear(provider).over).toEqual(['retry', 'retry', 'unavailable'])
  })

  it.each(['refused', 'timed_out', 'misconfigured', 'broken'] as const)('does not repeat what was %s', async (kind) => {
    const { provider, calls } = scripted(fail({ ...overloaded, kind }))
    expect(await hear(provider).over).toEqual([kind])
    expect(calls.made).toBe(1)
  })

  it('never tries again once a byte of the answer came', async () => {
    const { provider, calls } = scripted((listener) => {
      listener.onStreamData(Buffer.from('a'))
      listener.onFailure(overloaded)
    }, reply)
    expect(await hear(provider).over).toEqual(['a', 'unavailable'])
    expect(calls.made).toBe(1)
  })

  it('does not wait as long as the provider asks when that is too long', async () => {
    const { provider, calls } = scripted(fail({ ...overloaded, kind: 'throttled', retryAfterMs: 60_000 }))
    expect(await hear(provider).over).toEqual(['throttled'])
    expect(calls.made).toBe(1)
  })

  it('is stopped while it waits for the next try', async () => {
    const { provider, calls } = scripted(fail({ ...overloaded, retryAfterMs: 5_000 }), reply)
    const { call, over } = hear(provider)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    call.abort()
    expect(await over).toEqual(['retry', 'aborted'])
    expect(calls.made).toBe(1)
  })

  it('does not multiply an outage: retries are a fifth of the calls in flight, or three', async () => {
    const budget = createRetryBudget()
    const waiting = fail({ ...overloaded, retryAfterMs: 9_000 })
    const calls = Array.from({ length: 20 }, () => hear(scripted(waiting, reply).provider, budget))
    const failed = await Promise.all(calls.slice(4).map(({ over }) => over))
    expect(failed.every((heard) => heard.at(-1) === 'unavailable')).toBe(true)
    for (const { call } of calls) call.abort()
    expect((await Promise.all(calls.slice(0, 4).map(({ over }) => over))).flat()).toEqual(
      Array(4).fill(['retry', 'aborted']).flat(),
    )
  })

  it('asks the next model when one has failed for good, with retries of its own', async () => {
    const first = scripted(fail(overloaded), fail(overloaded), fail(overloaded))
    const second = scripted(fail(overloaded), reply)
    const { call, over } = hearAll([
      candidate('a', [deployed(first.provider)]),
      candidate('b', [deployed(second.provider)]),
    ])
    expect(await over).toEqual(['retry', 'retry', 'a → b', 'retry', 'reply'])
    expect(call.served.model.id).toBe('b')
  })

  it.each(['throttled', 'unavailable', 'timed_out', 'misconfigured'] as const)(
    'goes on to the next model when one is %s',
    async (kind) => {
      const first = scripted(...Array(3).fill(fail({ ...overloaded, kind })))
      const { over } = hearAll([
        candidate('a', [deployed(first.provider)]),
        candidate('b', [deployed(scripted(reply).provider)]),
      ])
      expect((await over).slice(-2)).toEqual(['a → b', 'reply'])
    },
  )

  it.each(['refused', 'broken'] as const)('does not ask another model about what was %s', async (kind) => {
    const second = scripted(reply)
    const first = scripted(fail({ ...overloaded, kind }))
    const { over } = hearAll([candidate('a', [deployed(first.provider)]), candidate('b', [deployed(second.provider)])])
    expect(await over).toEqual([kind])
    expect(second.calls.made).toBe(0)
  })

  it('never asks another model once a byte of an answer came', async () => {
    const first = scripted((listener) => {
      listener.onStreamData(Buffer.from('a'))
      listener.onFailure(overloaded)
    })
    const second = scripted(reply)
    const { over } = hearAll([candidate('a', [deployed(first.provider)]), candidate('b', [deployed(second.provider)])])
    expect(await over).toEqual(['a', 'unavailable'])
    expect(second.calls.made).toBe(0)
  })

  it('tries again at another deployment of the model', async () => {
    const here = scripted(fail(overloaded), reply)
    const there = scripted(reply)
    const { over } = hearAll([candidate('a', [deployed(here.provider), deployed(there.provider)])])
    expect(await over).toEqual(['retry', 'reply'])
    expect([here.calls.made, there.calls.made]).toEqual([1, 1])
  })

  it('says that a model is saturated when all its places are taken, unless another model has one', async () => {
    const busy = deployed(scripted().provider, { concurrencyMax: 1 })
    busy.health.tryEnter()
    expect(await hearAll([candidate('a', [busy])]).over).toEqual(['saturated'])
    const free = candidate('b', [deployed(scripted(reply).provider)])
    expect(await hearAll([candidate('a', [busy]), free]).over).toEqual(['a → b', 'reply'])
  })

  it('gives every place back, however its calls end', async () => {
    const ends = [reply, fail(overloaded), fail({ ...overloaded, kind: 'refused' }), reply]
    const deployment = deployed(scripted(...ends).provider)
    await hearAll([candidate('a', [deployment])]).over
    await hearAll([candidate('a', [deployment])]).over
    expect(deployment.health.inFlight).toBe(0)
  })

  it('starts over when a stream has only said that it failed, and hears no more of that stream', async () => {
    let first: ProviderListener | undefined
    const { provider, calls } = scripted((listener) => {
      first = listener
      listener.onStreamData(Buffer.from('error'))
    }, reply)
    const { call, over } = hear(provider)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    call.startOver(overloaded)
    first?.onStreamData(Buffer.from('late'))
    first?.onFailure({ ...overloaded, kind: 'aborted' })
    expect(await over).toEqual(['error', 'retry', 'reply'])
    expect(calls).toEqual({ made: 2, aborted: 1 })
  })

  it('asks the next model when a stream keeps saying nothing but that it failed', async () => {
    const fails = (listener: ProviderListener) => listener.onStreamData(Buffer.from('error'))
    const first = scripted(fails, fails, fails)
    const { call, over } = hearAll([
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
