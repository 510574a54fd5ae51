import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createRedisGuard } from '../redis-guard.ts'
import { createLocalBuckets } from './local-buckets.ts'
import { admissionOf, correctionOf, drawingOf, type RateLimitEvent, type RateLimiter } from './rate-limit.ts'
import { type BucketRedis, createRedisBuckets } from './redis-buckets.ts'
import type { Drawing, Drawn } from './token-bucket.ts'

export interface RateLimiterOptions {
  /** Null when this process counts alone. */
  readonly redis: BucketRedis | null
  /** The clock of this process's own buckets and of the pauses after Redis failed. */
  readonly now: () => Date
  readonly onEvent: (event: RateLimitEvent) => void
  /** Milliseconds to wait for an answer of Redis. */
  readonly redisTimeoutMs?: number
  /** Milliseconds for which Redis is not called after it failed. */
  readonly restMs?: number
}

/**
 * Limits over all processes together, with buckets in Redis. All drawings of one turn of the event loop are sent in one
 * call. While Redis is unavailable, hangs or is full, every process counts alone with the same limits.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { now, onEvent } = options
  const shared = createSharedBuckets(options)
  const local = createLocalBuckets(() => now().getTime())

  async function drawAnywhere(drawing: Drawing): Promise<{ drawn: Drawn; from: 'shared' | 'local' }> {
    const drawn = await shared.draw(drawing)
    if (drawn !== null) return { drawn, from: 'shared' }
    onEvent({ kind: 'local' })
    return { drawn: local.draw(drawing), from: 'local' }
  }

  return {
    admit(question) {
      const drawing = drawingOf(question)
      return drawing && drawAnywhere(drawing).then(({ drawn, from }) => admissionOf(drawing, drawn, from))
    },
    correct(admission, tokensUsed) {
      const correction = admission.ok ? correctionOf(admission.estimate, tokensUsed) : null
      if (!admission.ok || correction === null) return
      if (admission.estimate.from === 'local') local.draw(correction)
      else void shared.draw(correction) // what was estimated refills in any case
    },
  }
}

interface SharedBuckets {
  /** Null when Redis did not draw. Never rejects. */
  draw(drawing: Drawing): Promise<Drawn | null>
}

function createSharedBuckets({
  redis,
  now,
  onEvent,
  redisTimeoutMs = 150,
  restMs = 1_000,
}: RateLimiterOptions): SharedBuckets {
  if (redis === null) return { draw: async () => null }
  const buckets = createRedisBuckets(redis)
  const guard = createRedisGuard({ now, onEvent, timeoutMs: redisTimeoutMs, restMs })
  const run = async (drawings: readonly Drawing[]): Promise<readonly (Drawn | null)[]> =>
    (await guard.call(() => buckets.draw(drawings))) ?? drawings.map(() => null)
  const batch = createGroupCommit({ run, overlapAfterMs: 2 })
  return { draw: (drawing) => batch.add(drawing).catch(() => null) }
}
