import type { Redis } from 'ioredis'
import { type AttemptCounter, windowSeconds } from './attempt-limit.ts'

/** A window that ended meanwhile has no attempt to forget; a count below zero would be one attempt more, without an end. */
const takeScript = `
  if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
  return 0`

/** Counts in Redis, for all processes together; in this process while Redis is unavailable. */
export function createRedisAttemptCounter(redis: Redis, name: string, fallback: AttemptCounter): AttemptCounter {
  const prefix = `ratchet:${name}:`
  return {
    async add(key) {
      try {
        const results = await redis
          .multi()
          .incr(prefix + key)
          .expire(prefix + key, windowSeconds, 'NX')
          .ttl(prefix + key)
          .exec()
        const [count, , endsInSeconds] = (results ?? []).map(([error, value]) =>
          error === null ? Number(value) : Number.NaN,
        )
        if (count === undefined || endsInSeconds === undefined || Number.isNaN(count)) return await fallback.add(key)
        return { count, endsInSeconds }
      } catch {
        return fallback.add(key)
      }
    },
    async take(key) {
      await Promise.all([fallback.take(key), redis.eval(takeScript, 1, prefix + key).catch(ignore)])
    },
    async clear(key) {
      await Promise.all([fallback.clear(key), redis.del(prefix + key).catch(ignore)])
    },
  }
}

function ignore(): void {
  // The window ends by itself.
}
