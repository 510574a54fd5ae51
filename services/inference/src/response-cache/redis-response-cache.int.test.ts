import { randomUUID } from 'node:crypto'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { cacheSeal } from './cache-seal.fixture.ts'
import { createRedisResponseCache } from './redis-response-cache.ts'
import { responseCacheContract } from './response-cache.contract.ts'
import type { ResponseCache, ResponseCacheEvent } from './response-cache.ts'

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

const newCache = (more = {}) =>
  createRedisResponseCache({
    redis,
    seal: cacheSeal(),
    now: () => new Date(),
    onEvent: (event) => void events.push(event),
    restMs: 50,
    ...more,
  })

// Redis expires keys by its own clock, so real time has to pass
responseCacheContract('redis response cache', async () => ({ cache: newCache(), pass: (ms) => elapse(ms + 50) }))

it.each([
  ['unavailable', async () => proxy.refuse()],
  ['frozen', async () => proxy.freeze()],
])('misses within 300 ms while Redis is %s, and finds the answer again afterwards', async (_, fault) => {
  const cache = newCache()
  const answer = { servedModel: 'm', dropped: '', body: Buffer.from('{}') }
  cache.put('w:k', answer, 60)
  await eventually(async () => expect(await cache.get('w:k')).toEqual(answer))
  await fault()
  const startedAt = performance.now()
  expect(await Promise.all(Array.from({ length: 100 }, () => cache.get('w:k')))).toEqual(Array(100).fill(null))
  expect(performance.now() - startedAt).toBeLessThan(400)
  await proxy.restore()
  await eventually(async () => expect(await cache.get('w:k')).toEqual(answer))
})

describe('the bytes of a workspace', () => {
  const maxBytesOfWorkspace = 100_000
  const answer = { servedModel: 'm', dropped: '', body: Buffer.alloc(9_000) }
  const keysOf = (workspaceId: string, count: number) => Array.from({ length: count }, (_, n) => `${workspaceId}:${n}`)
  const sizeOf = async (workspaceId: string) => {
    const keys = await redis.keys(`ratchet:cache:${workspaceId}:*`)
    const sizes = await Promise.all(keys.map((key) => redis.strlen(key)))
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  const foundOf = async (cache: ResponseCache, keys: readonly string[]) =>
    (await Promise.all(keys.map((key) => cache.get(key)))).flatMap((found, n) => (found === null ? [] : [n]))

  it('stay below the maximum: the entries that expire first are deleted', async () => {
    const cache = newCache({ maxBytesOfWorkspace })
    const workspaceId = randomUUID()
    const keys = keysOf(workspaceId, 40)
    for (const [n, key] of keys.entries()) cache.put(key, answer, 1_000 + n)
    await eventually(async () => expect(await foundOf(cache, keys)).toEqual([30, 31, 32, 33, 34, 35, 36, 37, 38, 39]))
    expect(await sizeOf(workspaceId)).toBeLessThan(maxBytesOfWorkspace)
  })

  it('do not grow by the same entry again and again, nor cost another workspace an entry', async () => {
    const cache = newCache({ maxBytesOfWorkspace })
    const [one, other] = [keysOf(randomUUID(), 9), keysOf(randomUUID(), 9)]
    for (const key of [...one, ...other]) cache.put(key, answer, 1_000)
    for (let n = 0; n < 50; n += 1) cache.put(one[0] ?? '', answer, 1_000)
    await eventually(async () =>
      expect([...(await foundOf(cache, one)), ...(await foundOf(cache, other))]).toHaveLength(18),
    )
  })

  it('are counted again after Redis evicted the counts, and an answer that expired makes room', async () => {
    const cache = newCache({ maxBytesOfWorkspace })
    const workspaceId = randomUUID()
    const keys = keysOf(workspaceId, 10)
    for (const key of keys) cache.put(key, answer, 1)
    await eventually(async () => expect(await foundOf(cache, keys)).toHaveLength(10))
    await eventually(async () => expect(await foundOf(cache, keys)).toEqual([]))
    for (const key of keys) cache.put(key, answer, 1_000)
    await eventually(async () => expect(await foundOf(cache, keys)).toHaveLength(10))
    await redis.del(`ratchet:cache:sizes:${workspaceId}`, `ratchet:cache:expiries:${workspaceId}`)
    cache.put(keys[0] ?? '', answer, 1_000)
    await eventually(async () => expect(await foundOf(cache, keys)).toHaveLength(10))
  })
})

it('writes nothing to Redis that can be read without the key', async () => {
  const cache = newCache()
  cache.put('w:sealed', { servedModel: 'acme/fast', dropped: '', body: Buffer.from('{"answer":"sk-proj-answer"}') }, 60)
  const stored = await eventually(() => redis.getBuffer('ratchet:cache:w:sealed'))
  for (const text of ['sk-proj-answer', 'acme/fast', 'answer']) expect(stored.includes(text)).toBe(false)
  expect((await cache.get('w:sealed'))?.body.toString()).toContain('sk-proj-answer')
})
