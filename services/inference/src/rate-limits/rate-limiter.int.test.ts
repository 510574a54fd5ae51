import { randomUUID } from 'node:crypto'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import type { RateLimitEvent, RateLimiter, RateQuestion } from './rate-limit.ts'
import { createRateLimiter } from './rate-limiter.ts'

let server: FreshRedis
let proxy: ChaosProxy
const clients: Redis[] = []
beforeAll(async () => {
  server = await freshRedis()
  const { hostname, port } = new URL(server.url)
  proxy = await startChaosProxy({ targetHost: hostname, targetPort: Number(port) })
})
afterEach(() => proxy.restore())
afterAll(async () => {
  for (const client of clients) client.disconnect()
  await proxy.stop()
  await server.drop()
})

/** Far more than Redis takes, so that a machine that stalls does not count as a fault of Redis. */
const patientMs = 5_000

/** A limiter as another process would have it, with its own connection through the proxy. */
async function newLimiter({
  restMs = 50,
  timeoutMs = 100,
} = {}): Promise<{ limiter: RateLimiter; events: RateLimitEvent[] }> {
  const url = new URL(server.url)
  url.port = String(proxy.port)
  const redis = new Redis(url.href, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: timeoutMs,
    retryStrategy: () => 20,
  })
  redis.on('error', () => undefined)
  clients.push(redis)
  await eventually(() => redis.status === 'ready')
  const events: RateLimitEvent[] = []
  const onEvent = (event: RateLimitEvent) => void events.push(event)
  return { limiter: createRateLimiter({ redis, now: () => new Date(), onEvent, restMs }), events }
}

const question = (workspaceId: string, changes: Partial<RateQuestion> = {}): RateQuestion => ({
  workspaceId,
  keyId: 'k',
  limits: { requestsPerMinute: 10, tokensPerMinute: null },
  keyLimits: undefined,
  tokens: 0,
  ...changes,
})

async function admitted(limiters: readonly RateLimiter[], asked: RateQuestion, times: number): Promise<number> {
  const all = Array.from({ length: times }, (_, index) => limiters[index % limiters.length]?.admit(asked))
  return (await Promise.all(all)).filter((admission) => admission?.ok).length
}

it('admits exactly 10 of 50 parallel requests under a limit of 10, from two processes', async () => {
  const patient = { timeoutMs: patientMs }
  const limiters = [(await newLimiter(patient)).limiter, (await newLimiter(patient)).limiter]
  for (let round = 0; round < 10; round++) {
    expect(await admitted(limiters, question(randomUUID()), 50)).toBe(10)
  }
})

it('separates workspaces and keys', async () => {
  const { limiter } = await newLimiter({ timeoutMs: patientMs })
  const [one, other] = [randomUUID(), randomUUID()]
  const keyLimits = { requestsPerMinute: 4, tokensPerMinute: null }
  const counts = await Promise.all([
    admitted([limiter], question(one, { keyLimits }), 20),
    admitted([limiter], question(other), 20),
  ])
  expect(counts).toEqual([4, 10])
  expect(await admitted([limiter], question(one, { keyId: 'k2', keyLimits }), 20)).toBe(4)
  expect(await admitted([limiter], question(one, { keyId: 'k3', keyLimits }), 20)).toBe(2)
})

it('applies in one process what another one used beyond its estimate', async () => {
  const [one, other] = [await newLimiter({ timeoutMs: patientMs }), await newLimiter({ timeoutMs: patientMs })]
  const asked = question(randomUUID(), { limits: { requestsPerMinute: null, tokensPerMinute: 1_000 }, tokens: 100 })
  const admission = await one.limiter.admit(asked)
  if (!admission?.ok) throw new Error('refused')
  one.limiter.correct(admission, 3_000)
  await eventually(async () => {
    const next = await other.limiter.admit(asked)
    expect(next).toMatchObject({ ok: false, tokens: { remaining: 0 } })
    expect(next?.ok === false && next.retryAfterMs).toBeGreaterThan(110_000)
  })
})

it.each([
  ['unavailable', async () => proxy.refuse()],
  ['frozen', async () => proxy.freeze()],
  ['slow', async () => proxy.delay(400)],
])('uses limits of its own process while Redis is %s, and the shared ones once it answers', async (_, fault) => {
  const { limiter, events } = await newLimiter()
  expect(await admitted([limiter], question(randomUUID()), 50)).toBe(10)
  await fault()
  const startedAt = performance.now()
  expect(await admitted([limiter], question(randomUUID()), 50)).toBe(10)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  await eventually(async () => {
    await limiter.admit(question(randomUUID()))
    expect(events.some(({ kind }) => kind === 'unavailable')).toBe(true)
  })
  await proxy.restore()
  await eventually(async () => {
    await limiter.admit(question(randomUUID()))
    expect(events.at(-1)?.kind).toBe('recovered')
  })
  expect(await admitted([limiter], question(randomUUID()), 50)).toBe(10)
})

it('does not call a hanging Redis once it is known, so that requests do not wait', async () => {
  const { limiter, events } = await newLimiter({ restMs: 60_000 })
  proxy.freeze()
  await eventually(async () => {
    await limiter.admit(question(randomUUID()))
    expect(events.some(({ kind }) => kind === 'unavailable')).toBe(true)
  })
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) await limiter.admit(question(randomUUID()))
  expect(performance.now() - startedAt).toBeLessThan(200)
})

it('continues with full buckets when Redis is emptied', async () => {
  const { limiter, events } = await newLimiter({ timeoutMs: patientMs })
  const asked = question(randomUUID())
  const direct = new Redis(server.url)
  clients.push(direct)
  expect(await admitted([limiter], asked, 20)).toBe(10)
  await direct.flushdb()
  await direct.script('FLUSH')
  expect(await admitted([limiter], asked, 20)).toBe(10)
  expect(events).toEqual([])
})
