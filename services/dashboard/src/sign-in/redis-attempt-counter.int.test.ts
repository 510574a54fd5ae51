import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { createMemoryCounter } from './attempt-limit.ts'
import { createRedisAttemptCounter } from './redis-attempt-counter.ts'

let server: FreshRedis
let redis: Redis
beforeAll(async () => {
  server = await freshRedis()
  redis = new Redis(server.url)
})
afterAll(async () => {
  await redis.quit()
  await server.drop()
})

it('forgets an attempt that succeeded, and never counts below zero', async () => {
  const counter = createRedisAttemptCounter(
    redis,
    'attempts',
    createMemoryCounter(() => 0),
  )
  // The window of this attempt has ended.
  await counter.take('a')
  await counter.take('a')
  expect(await redis.get('ratchet:attempts:a')).toBeNull()
  expect(await counter.add('a')).toMatchObject({ count: 1 })
  expect(await counter.add('a')).toMatchObject({ count: 2 })
  await counter.take('a')
  expect(await counter.add('a')).toMatchObject({ count: 2 })
  expect(await redis.ttl('ratchet:attempts:a')).toBeGreaterThan(0)
})
