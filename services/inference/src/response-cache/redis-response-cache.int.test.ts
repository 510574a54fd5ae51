import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { cacheSeal } from './cache-seal.fixture.ts'
import { createRedisResponseCache } from './redis-response-cache.ts'
import { responseCacheContract } from './response-cache.contract.ts'
import type { ResponseCacheEvent } from './response-cache.ts'

let server: FreshRedis
let proxy: ChaosProxy
let redis: Redis
const events: ResponseCacheEvent[] = []
beforeAll(async () => {
  server = await freshRedis()
  const url = new URL(server.url)
  proxy = await startChaosProxy({ targetHost: url.hostname, targetPort: Number(url.port) })
  url.port = String(proxy.port)
  redis = new Redis(url.href, { enableOfflineQueue: false, commandTimeout: 200, retryStrategy: () => 20 })
  redis.on('error', () => undefined)
  await eventually(() => redis.status === 'ready')
})
afterAll(async () => {
  redis.disconnect()
  await proxy.stop()
  await server.drop()
})

const newCache = () =>
  createRedisResponseCache({
    redis,
    seal: cacheSeal(),
    now: () => new Date(),
    onEvent: (event) => void events.push(event),
    restMs: 50,
  })

// Redis expires keys by its own clock, so real time has to pass
responseCacheContract('redis response cache', async () => ({ cache: newCache(), pass: (ms) => elapse(ms + 50) }))

it.each([
  ['unavailable', async () => proxy.refuse()],
  ['frozen', async () => proxy.freeze()],
])('misses within 150 ms while Redis is %s, and finds the answer again afterwards', async (_, fault) => {
  const cache = newCache()
  const answer = { servedModel: 'm', body: Buffer.from('{}') }
  cache.put('w:k', answer, 60)
  await eventually(async () => expect(await cache.get('w:k')).toEqual(answer))
  await fault()
  const startedAt = performance.now()
  expect(await Promise.all(Array.from({ length: 100 }, () => cache.get('w:k')))).toEqual(Array(100).fill(null))
  expect(performance.now() - startedAt).toBeLessThan(250)
  await proxy.restore()
  await eventually(async () => expect(await cache.get('w:k')).toEqual(answer))
})

it('writes nothing to Redis that can be read without the key', async () => {
  const cache = newCache()
  cache.put('w:sealed', { servedModel: 'acme/fast', body: Buffer.from('{"answer":"sk-proj-answer"}') }, 60)
  const stored = await eventually(() => redis.getBuffer('ratchet:cache:w:sealed'))
  for (const text of ['sk-proj-answer', 'acme/fast', 'answer']) expect(stored.includes(text)).toBe(false)
  expect((await cache.get('w:sealed'))?.body.toString()).toContain('sk-proj-answer')
})
