import { randomUUID } from 'node:crypto'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { createLocalBuckets } from './local-buckets.ts'
import { createRedisBuckets } from './redis-buckets.ts'
import type { Drawing } from './token-bucket.ts'

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

const limitOfKey = [1, 7, 60, 1_000, 1_000_000_000]
const draw = fc
  .tuple(fc.nat({ max: limitOfKey.length - 1 }), fc.constantFrom(0, 1, 2, 59, 700, 1_000_000_000))
  .map(([place, cost]) => ({ place, cost }))
const drawing = fc.record({
  kind: fc.constantFrom('take' as const, 'take' as const, 'correct' as const),
  sign: fc.constantFrom(1, -1),
  draws: fc.uniqueArray(draw, { minLength: 1, maxLength: 4, selector: ({ place }) => place }),
})
const step = fc.record({
  passMs: fc.constantFrom(0, 0, 1, 17, 999, 8_571, 60_000, 61_000),
  drawings: fc.array(drawing, { minLength: 1, maxLength: 5 }),
})

it('computes the same numbers as the reference for any draws, corrections and pauses', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const clock = fixedClock()
      const nowMs = () => clock.now().getTime()
      const [shared, reference, run] = [createRedisBuckets(redis, nowMs), createLocalBuckets(nowMs), randomUUID()]
      for (const { passMs, drawings } of steps) {
        clock.advance(passMs)
        const asked = drawings.map(
          ({ kind, sign, draws }): Drawing => ({
            kind,
            draws: draws.map(({ place, cost }) => ({
              key: `{${run}}:${place}`,
              limit: limitOfKey[place] ?? 0,
              cost: kind === 'take' ? cost : sign * cost,
            })),
          }),
        )
        expect(await shared.draw(asked)).toEqual(asked.map((item) => reference.draw(item)))
      }
    }),
    { numRuns: 150, seed: 20_261_121 },
  )
}, 60_000)

it('stores a bucket until it would be full, and a full one not at all', async () => {
  const buckets = createRedisBuckets(redis)
  const key = `{${randomUUID()}}:requests`
  await buckets.draw([{ kind: 'take', draws: [{ key, limit: 10, cost: 1 }] }])
  const ttlMs = await redis.pttl(key)
  expect(ttlMs).toBeGreaterThan(6_000)
  expect(ttlMs).toBeLessThanOrEqual(7_000)
  await buckets.draw([{ kind: 'correct', draws: [{ key, limit: 10, cost: -1 }] }])
  expect(await redis.exists(key)).toBe(0)
})

it('treats an unreadable entry as a full bucket', async () => {
  const key = `{${randomUUID()}}:requests`
  await redis.set(key, 'nonsense')
  const [drawn] = await createRedisBuckets(redis).draw([{ kind: 'take', draws: [{ key, limit: 10, cost: 1 }] }])
  expect(drawn).toEqual({ waitMs: 0, parts: [540_000] })
})

it('works when Redis has lost the script', async () => {
  const key = `{${randomUUID()}}:requests`
  const buckets = createRedisBuckets(redis)
  const once: Drawing = { kind: 'take', draws: [{ key, limit: 10, cost: 1 }] }
  await buckets.draw([once])
  await redis.script('FLUSH')
  expect((await buckets.draw([once]))[0]?.waitMs).toBe(0)
})
