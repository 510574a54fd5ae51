import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { createRedisGuard } from '../redis-guard.ts'
import type { ScriptRedis } from '../redis-script.ts'
import { readEntry, writeEntry } from './cache-entry.ts'
import { putScript } from './put-script.ts'
import { type CachedAnswer, maxCachedBodyBytes, type ResponseCache, type ResponseCacheEvent } from './response-cache.ts'

/** The commands of ioredis that the cache uses. */
export interface CacheRedis extends Pick<ScriptRedis, 'eval'> {
  mgetBuffer(keys: string[]): Promise<(Buffer | null)[]>
}

export interface RedisResponseCacheOptions {
  readonly redis: CacheRedis
  /** Seals entries, because Redis writes its data to disk. */
  readonly seal: ByteSeal
  /** The clock of the pauses after Redis failed. */
  readonly now: () => Date
  readonly onEvent: (event: ResponseCacheEvent) => void
  /** Milliseconds to wait for an answer of Redis: little beside the call of a model that it saves. */
  readonly timeoutMs?: number
  readonly restMs?: number
  /** Maximum bytes of the entries of one workspace. */
  readonly maxBytesOfWorkspace?: number
}

const prefix = 'ratchet:cache:'
/** Bytes that Redis needs for an entry beside its value: three copies of the key, and their places. */
const bytesBeside = 512
/** Maximum bytes on their way to Redis. Further writes are dropped, so that a slow Redis does not fill the memory. */
const maxWaitingBytes = 32 * maxCachedBodyBytes
/** Few, because a batch is as slow as its largest values. */
const maxKeysPerCall = 16

/** The cache in Redis. All reads of one turn of the event loop are sent in one call. */
export function createRedisResponseCache(options: RedisResponseCacheOptions): ResponseCache {
  const { redis, seal, now, onEvent, timeoutMs = 150, restMs = 1_000, maxBytesOfWorkspace = 64 * mebibyte } = options
  const guard = createRedisGuard({ now, onEvent, timeoutMs, restMs })
  const lookUp = async (keys: readonly string[]) =>
    (await guard.call(() => redis.mgetBuffer([...keys]))) ?? keys.map(() => null)
  const batch = createGroupCommit({ run: lookUp, maxBatch: maxKeysPerCall, maxInFlight: 8 })
  const onLate = (waitedMs: number) => new Error(`no answer from Redis in ${Math.round(waitedMs)} ms`)
  const batchDeadline = { silenceMs: 2 * timeoutMs, maxMs: 2 * timeoutMs, pulse: createHeartbeat(), onLate }
  // With the text of the script, not its digest: a client that asks again at once must find the answer, and a Redis that
  // does not know the digest would need a second round trip.
  const write = createWriter(onEvent, (key, entry, seconds) => {
    const [keys, value] = [keysOf(key), seal.seal(entry, key)]
    return guard.call(() =>
      redis.eval(putScript, keys.length, ...keys, value, seconds, maxBytesOfWorkspace, bytesBeside),
    )
  })
  return {
    async get(key) {
      const entry = await withTimeout(batch.add(`${prefix}${key}`), batchDeadline).catch(() => null)
      const answer = entry && readSealed(seal, entry, key)
      if (entry !== null && answer === null) onEvent({ kind: 'unreadable' })
      return answer
    },
    put: write,
  }
}

/** The key of an entry, and the two keys of its workspace, whose id the key of a request begins with. */
function keysOf(key: string): readonly string[] {
  const workspaceId = key.slice(0, key.indexOf(':'))
  return [`${prefix}${key}`, `${prefix}expiries:${workspaceId}`, `${prefix}sizes:${workspaceId}`]
}

/** Null for an entry that another release wrote, or that belongs to another key. */
function readSealed(seal: ByteSeal, sealed: Buffer, key: string): CachedAnswer | null {
  try {
    return readEntry(seal.open(sealed, key))
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}

function createWriter(
  onEvent: (event: ResponseCacheEvent) => void,
  send: (key: string, entry: Buffer, ttlSeconds: number) => Promise<unknown>,
): ResponseCache['put'] {
  let waitingBytes = 0
  return (key: string, answer: CachedAnswer, ttlSeconds: number) => {
    if (answer.body.length > maxCachedBodyBytes) return onEvent({ kind: 'dropped', reason: 'too_large' })
    const entry = writeEntry(answer)
    if (waitingBytes + entry.length > maxWaitingBytes) return onEvent({ kind: 'dropped', reason: 'too_many' })
    waitingBytes += entry.length
    void send(key, entry, ttlSeconds).finally(() => {
      waitingBytes -= entry.length
    })
  }
}
