import type { ChatListener, ChatProvider, ProviderChatRequest, ProviderFailure } from '../providers/provider.ts'
import { callProvider } from './call-provider.ts'
import { createRetryBudget } from './retry-budget.ts'

const request = {} as ProviderChatRequest
const overloaded: ProviderFailure = { kind: 'unavailable', message: 'busy', retryAfterMs: null }

/** Plays one script per attempt and counts them. */
function scripted(...attempts: ((listener: ChatListener) => void)[]) {
  const calls = { made: 0, aborted: 0 }
  const provider: ChatProvider = {
    startChat(_request, listener) {
      const script = attempts[calls.made]
      calls.made += 1
      setImmediate(() => script?.(listener))
      return { abort: () => (calls.aborted += 1), pause() {}, resume() {} }
    },
  }
  return { provider, calls }
}

function hear(provider: ChatProvider, budget = createRetryBudget()) {
  const heard: string[] = []
  const over = Promise.withResolvers<string[]>()
  const call = callProvider({ provider, budget, random: () => 0, onRetry: () => heard.push('retry') }, request, {
    onReply: () => over.resolve([...heard, 'reply']),
    onStreamData: (chunk) => heard.push(chunk.toString()),
    onStreamEnd: () => over.resolve([...heard, 'end']),
    onFailure: ({ kind }) => over.resolve([...heard, kind]),
  })
  return { call, over: over.promise }
}

const fail = (failure: ProviderFailure) => (listener: ChatListener) => listener.onFailure(failure)
const reply = (listener: ChatListener) => listener.onReply({} as Parameters<ChatListener['onReply']>[0])

describe('callProvider', () => {
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
})
