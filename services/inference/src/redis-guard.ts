import { createHeartbeat, withTimeout } from '@ratchet/service-kit/timing/with-timeout'
import { createCircuitBreaker } from './circuit-breaker.ts'

export interface RedisGuardOptions {
  /** The clock of the pauses after Redis failed. */
  readonly now: () => Date
  /** Milliseconds to wait for an answer of Redis. */
  readonly timeoutMs: number
  /** Milliseconds to wait while Redis answers other calls; absent = `timeoutMs`. */
  readonly maxMs?: number
  /** Milliseconds for which Redis is not called after it failed. */
  readonly restMs: number
  readonly onEvent: (event: { kind: 'unavailable'; cause: unknown } | { kind: 'recovered' }) => void
}

export interface RedisGuard {
  /** The result of the call; null when it failed, was late, or was not made because Redis failed before. Never rejects. */
  call<T>(work: () => Promise<T>): Promise<T | null>
}

/** Keeps a Redis that fails or hangs from costing every request its timeout. */
export function createRedisGuard({
  now,
  timeoutMs,
  maxMs = timeoutMs,
  restMs,
  onEvent,
}: RedisGuardOptions): RedisGuard {
  const breaker = createCircuitBreaker({
    restMs,
    now,
    onOpen: (cause) => onEvent({ kind: 'unavailable', cause }),
    onClose: () => onEvent({ kind: 'recovered' }),
  })
  const onLate = (waitedMs: number) => new Error(`no answer from Redis in ${Math.round(waitedMs)} ms`)
  const deadline = { silenceMs: timeoutMs, maxMs, pulse: createHeartbeat(), onLate }
  return {
    async call(work) {
      if (!breaker.mayTry()) return null
      try {
        const result = await withTimeout(work(), deadline)
        deadline.pulse.beat()
        breaker.succeeded()
        return result
      } catch (cause) {
        breaker.failed(cause)
        return null
      }
    },
  }
}
