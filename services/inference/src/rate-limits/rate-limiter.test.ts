import { eventually } from '@ratchet/testing/eventually'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import type { Admission, RateLimitEvent, RateQuestion } from './rate-limit.ts'
import { createRateLimiter } from './rate-limiter.ts'
import type { BucketRedis } from './redis-buckets.ts'

const question = (changes: Partial<RateQuestion> = {}): RateQuestion => ({
  workspaceId: 'w',
  keyId: 'k',
  limits: { requestsPerMinute: 10, tokensPerMinute: null },
  keyLimits: undefined,
  tokens: 0,
  ...changes,
})
const noLimits = { requestsPerMinute: null, tokensPerMinute: null }
const tokenLimit = (tokensPerMinute: number) => ({ ...noLimits, tokensPerMinute })

function setUp(redis: BucketRedis | null = null) {
  const clock = fixedClock()
  const events: RateLimitEvent[] = []
  const onEvent = (event: RateLimitEvent) => void events.push(event)
  const limiter = createRateLimiter({ redis, now: clock.now, onEvent, redisTimeoutMs: 20, restMs: 1_000 })
  const admit = async (changes?: Partial<RateQuestion>) => {
    const admission = await limiter.admit(question(changes))
    if (admission === null) throw new Error('not limited')
    return admission
  }
  return { limiter, admit, clock, events, kinds: () => events.map(({ kind }) => kind) }
}

const okCount = (admissions: readonly Admission[]) => admissions.filter(({ ok }) => ok).length

it('answers at once, without Redis, when there is no limit', () => {
  const calls: unknown[] = []
  const redis = { evalsha: async (sha: string) => calls.push(sha), eval: async (script: string) => calls.push(script) }
  const { limiter } = setUp(redis)

  expect(limiter.admit(question({ limits: noLimits, keyLimits: noLimits }))).toBeNull()
  expect(calls).toEqual([])
})

describe('with the buckets of one process', () => {
  it('admits as many as the limit, and more as time passes', async () => {
    const { admit, clock } = setUp()
    const first = await Promise.all(Array.from({ length: 50 }, () => admit()))
    expect(okCount(first)).toBe(10)
    expect(first.at(-1)).toEqual({
      ok: false,
      requests: { limit: 10, remaining: 0, resetMs: 60_000 },
      tokens: null,
      retryAfterMs: 6_000,
      scope: 'workspace',
    })
    clock.advance(5_999)
    expect((await admit()).ok).toBe(false)
    clock.advance(1)
    expect([(await admit()).ok, (await admit()).ok]).toEqual([true, false])
    clock.advance(3_600_000)
    expect(okCount(await Promise.all(Array.from({ length: 50 }, () => admit())))).toBe(10)
  })

  it('admits what fits into the key and the workspace, and draws from neither what does not', async () => {
    const { admit } = setUp()
    const key = { keyId: 'tight', keyLimits: { requestsPerMinute: 3, tokensPerMinute: null } }
    const tight = [await admit(key), await admit(key), await admit(key), await admit(key), await admit(key)]
    expect(tight.map(({ ok }) => ok)).toEqual([true, true, true, false, false])
    expect(tight[3]?.requests).toEqual({ limit: 3, remaining: 0, resetMs: 60_000 })
    expect((await admit()).requests?.remaining).toBe(6)
  })

  it('returns what an estimate took too much, and makes a debt of what it took too little', async () => {
    const { admit, limiter, clock } = setUp()
    const limits = tokenLimit(600)
    const admission = await admit({ limits, tokens: 500 })
    expect(admission.tokens?.remaining).toBe(100)
    limiter.correct(admission, 200)
    const second = await admit({ limits, tokens: 400 })
    expect(second).toMatchObject({ ok: true, tokens: { remaining: 0 } })
    limiter.correct(second, 1_000)
    expect(await admit({ limits, tokens: 1 })).toMatchObject({ ok: false, retryAfterMs: 60_100 })
    clock.advance(60_100)
    expect(await admit({ limits, tokens: 1 })).toMatchObject({ ok: true })
  })

  it('does not let a correction fill a bucket beyond its limit', async () => {
    const { admit, limiter, clock } = setUp()
    const limits = tokenLimit(600)
    const admission = await admit({ limits, tokens: 500 })
    clock.advance(60_000)
    limiter.correct(admission, 0)
    expect(await admit({ limits, tokens: 601 })).toMatchObject({ ok: true, tokens: { remaining: 0 } })
    expect(await admit({ limits, tokens: 1 })).toMatchObject({ ok: false, retryAfterMs: 200 })
  })

  it('admits an estimate beyond the limit on a full bucket, because it could never be admitted otherwise', async () => {
    const { admit, clock } = setUp()
    const limits = tokenLimit(600)
    expect(await admit({ limits, tokens: 900 })).toMatchObject({ ok: true, tokens: { remaining: 0, resetMs: 90_000 } })
    expect(await admit({ limits, tokens: 900 })).toMatchObject({ ok: false, retryAfterMs: 90_000 })
    clock.advance(90_000)
    expect(await admit({ limits, tokens: 900 })).toMatchObject({ ok: true })
  })

  it('admits nothing when the limit is zero', async () => {
    const { admit, clock } = setUp()
    for (const limits of [{ ...noLimits, requestsPerMinute: 0 }, tokenLimit(0)]) {
      expect(await admit({ limits })).toMatchObject({ ok: false, retryAfterMs: 60_000 })
      clock.advance(3_600_000)
      expect(await admit({ limits })).toMatchObject({ ok: false })
    }
  })
})

describe('while Redis is unavailable', () => {
  const unavailable = async () => Promise.reject(new Error('Connection is closed.'))

  it('counts in this process, and reports it', async () => {
    const { admit, kinds } = setUp({ evalsha: unavailable, eval: unavailable })
    const admissions = await Promise.all(Array.from({ length: 50 }, () => admit()))
    expect(okCount(admissions)).toBe(10)
    expect(kinds()).toEqual(Array.from({ length: 50 }, () => 'local'))
  })

  it('calls a Redis that does not answer three times, then not before a pause', async () => {
    let asked = 0
    const hang = () => {
      asked += 1
      return new Promise<never>(() => undefined)
    }
    const { admit, clock, kinds } = setUp({ evalsha: hang, eval: hang })
    for (let i = 0; i < 10; i++) await admit()
    expect(asked).toBe(3)
    clock.advance(1_000)
    await Promise.all([admit(), admit()])
    expect(asked).toBe(4)
    expect(kinds().filter((kind) => kind === 'unavailable')).toHaveLength(1)
  })

  it('uses Redis again once it answers', async () => {
    let isUnavailable = true
    const evalsha = async () => (isUnavailable ? unavailable() : [0, 9 * 60_000])
    const { admit, clock, kinds } = setUp({ evalsha, eval: unavailable })
    for (let i = 0; i < 3; i++) await admit()
    isUnavailable = false
    clock.advance(1_000)
    expect(await admit()).toMatchObject({ ok: true, requests: { remaining: 9 }, estimate: { from: 'shared' } })
    expect(kinds().at(-1)).toBe('recovered')
  })

  it.each([
    ['nothing', null],
    ['too little', [0]],
    ['something else', ['a', 'b']],
  ])('treats an answer of %s as no answer', async (_, answer) => {
    const { admit, kinds } = setUp({ evalsha: async () => answer, eval: unavailable })
    expect((await admit()).ok).toBe(true)
    expect(kinds()).toEqual(['local'])
  })
})

it('corrects the buckets that it drew from, not those of a Redis that came back meanwhile', async () => {
  const sent: (string | number)[][] = []
  let isUnavailable = true
  const evalsha = async (_sha: string, _count: number, ...args: (string | number)[]) => {
    if (isUnavailable) throw new Error('unavailable')
    sent.push(args)
    return [0, 0]
  }
  const { admit, limiter } = setUp({ evalsha, eval: evalsha })
  const limits = tokenLimit(600)
  const local = await admit({ limits, tokens: 500 })
  isUnavailable = false
  limiter.correct(local, 0)
  const shared = await admit({ limits, tokens: 100 })
  limiter.correct(shared, 40)
  await eventually(() => expect(sent).toHaveLength(2))
  expect(sent.map((args) => args.slice(2))).toEqual([
    [1, 1, 600, 100],
    [0, 1, 600, -60],
  ])
})

it('sends all drawings of one turn of the event loop in one call', async () => {
  let calls = 0
  const evalsha = async (_sha: string, keys: number) => {
    calls += 1
    return Array.from({ length: keys }, () => [0, 0]).flat()
  }
  const { admit } = setUp({ evalsha, eval: evalsha })
  await Promise.all(Array.from({ length: 40 }, () => admit()))
  expect(calls).toBe(1)
})
