import { createGroupCommit } from '@ratchet/service-kit/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/with-timeout'
import { type CircuitBreaker, createCircuitBreaker } from '../circuit-breaker.ts'
import { readEntry, writeEntry } from './cache-entry.ts'
import { type CachedAnswer, largestCachedBody, type ResponseCache, type ResponseCacheEvent } from './response-cache.ts'

/** The commands of ioredis that the cache uses. */
export interface CacheRedis {
  mgetBuffer(keys: string[]): Promise<(Buffer | null)[]>
  set(key: string, value: Buffer, unit: 'EX', seconds: number): Promise<unknown>
}

export interface RedisResponseCacheOptions {
  readonly redis: CacheRedis
  /** For when to ask Redis again after it failed. */
  readonly now: () => Date
  readonly onEvent: (event: ResponseCacheEvent) => void
  /** Milliseconds to wait for an answer of Redis. */
  readonly timeoutMs?: number
  readonly restMs?: number
}

const prefix = 'ratchet:cache:'
/** Bytes on their way to Redis; what comes on top is dropped, so that a slow Redis does not fill our memory. */
const maxWaitingBytes = 32 * largestCachedBody
/** Few, because a batch is as slow as its largest values. */
const maxKeysPerCall = 16

/** The cache in Redis: what one turn of the event loop looks up leaves in one call. */
export function createRedisResponseCache(options: RedisResponseCacheOptions): ResponseCache {
  const { redis, now, onEvent, timeoutMs = 50, restMs = 1_000 } = options
  const breaker = createCircuitBreaker({
    restMs,
    now,
    onOpen: (cause) => onEvent({ kind: 'away', cause }),
    onClose: () => onEvent({ kind: 'back' }),
  })
  const onLate = (waitedMs: number) => new Error(`no answer from Redis in ${Math.round(waitedMs)} ms`)
  const deadline = { silenceMs: timeoutMs, maxMs: 2 * timeoutMs, pulse: createHeartbeat(), onLate }
  const inTime = <T>(work: Promise<T>) => withTimeout(work, deadline)
  const lookUp = async (keys: readonly string[]) =>
    (await guarded(breaker, () => inTime(redis.mgetBuffer([...keys])))) ?? keys.map(() => null)
  const batch = createGroupCommit({ run: lookUp, maxBatch: maxKeysPerCall, maxInFlight: 8 })
  const patientBatch = { silenceMs: 2 * timeoutMs, maxMs: 2 * timeoutMs, pulse: createHeartbeat(), onLate }
  const write = createWriter(onEvent, (key, entry, seconds) =>
    guarded(breaker, () => inTime(redis.set(`${prefix}${key}`, entry, 'EX', seconds))),
  )
  return {
    async get(key) {
      const entry = await withTimeout(batch.add(`${prefix}${key}`), patientBatch).catch(() => null)
      const answer = entry && readEntry(entry)
      if (entry !== null && answer === null) onEvent({ kind: 'unreadable' })
      return answer
    },
    put: write,
  }
}

/** Null when Redis did not do it. Never rejects. */
async function guarded<T>(breaker: CircuitBreaker, work: () => Promise<T>): Promise<T | null> {
  if (!breaker.mayTry()) return null
  try {
    const done = await work()
    breaker.succeeded()
    return done
  } catch (cause) {
    breaker.failed(cause)
    return null
  }
}

function createWriter(
  onEvent: (event: ResponseCacheEvent) => void,
  send: (key: string, entry: Buffer, ttlSeconds: number) => Promise<unknown>,
): ResponseCache['put'] {
  let waitingBytes = 0
  return (key: string, answer: CachedAnswer, ttlSeconds: number) => {
    if (answer.body.length > largestCachedBody) return onEvent({ kind: 'dropped', reason: 'too_large' })
    const entry = writeEntry(answer)
    if (waitingBytes + entry.length > maxWaitingBytes) return onEvent({ kind: 'dropped', reason: 'too_many' })
    waitingBytes += entry.length
    void send(key, entry, ttlSeconds).finally(() => {
      waitingBytes -= entry.length
    })
  }
}
