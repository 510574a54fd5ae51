import { createGroupCommit } from '@ratchet/service-kit/group-commit'
import { createHeartbeat, withTimeout } from '@ratchet/service-kit/with-timeout'
import { createCircuitBreaker } from '../circuit-breaker.ts'
import { createLocalBuckets } from './local-buckets.ts'
import { admissionOf, correctionOf, drawingOf, type RateLimitEvent, type RateLimiter } from './rate-limit.ts'
import { type BucketRedis, createRedisBuckets } from './redis-buckets.ts'
import type { Drawing, Drawn } from './token-bucket.ts'

export interface RateLimiterOptions {
  /** Null: this process counts for itself only. */
  readonly redis: BucketRedis | null
  /** For this process's own buckets, and for when to ask Redis again. */
  readonly now: () => Date
  readonly onEvent: (event: RateLimitEvent) => void
  /** Milliseconds to wait for an answer of Redis. */
  readonly redisTimeoutMs?: number
  /** Milliseconds for which Redis is left alone after it failed. */
  readonly restMs?: number
}

/**
 * Limits that hold over all processes together, by buckets in Redis: what one turn of the event loop asks leaves in one
 * call. While Redis is away, frozen or full, every process counts for itself with the same limits.
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
      else void shared.draw(correction) // what was estimated flows back in any case
    },
  }
}

interface SharedBuckets {
  /** Null when Redis did not do it. Never rejects. */
  draw(drawing: Drawing): Promise<Drawn | null>
}

function createSharedBuckets({
  redis,
  now,
  onEvent,
  redisTimeoutMs = 50,
  restMs = 1_000,
}: RateLimiterOptions): SharedBuckets {
  if (redis === null) return { draw: async () => null }
  const buckets = createRedisBuckets(redis)
  const breaker = createCircuitBreaker({
    restMs,
    now,
    onOpen: (cause) => onEvent({ kind: 'away', cause }),
    onClose: () => onEvent({ kind: 'back' }),
  })
  const onLate = (waitedMs: number) => new Error(`no answer from Redis in ${Math.round(waitedMs)} ms`)
  const deadline = { silenceMs: redisTimeoutMs, maxMs: 2 * redisTimeoutMs, pulse: createHeartbeat(), onLate }

  async function run(drawings: readonly Drawing[]): Promise<readonly (Drawn | null)[]> {
    if (!breaker.mayTry()) return drawings.map(() => null)
    try {
      const drawn = await withTimeout(buckets.draw(drawings), deadline)
      deadline.pulse.beat()
      breaker.succeeded()
      return drawn
    } catch (cause) {
      breaker.failed(cause)
      return drawings.map(() => null)
    }
  }

  const batch = createGroupCommit({ run, overlapAfterMs: 2 })
  return { draw: (drawing) => batch.add(drawing).catch(() => null) }
}
