import { captureStream } from '@ratchet/contracts/captured-exchange'
import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { OnStop } from '@ratchet/service-kit/run-process'
import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** The part of ioredis that is used to look at the stream. */
export interface WatchedRedis {
  eval(script: string, keyCount: number, key: string): Promise<unknown>
}

export interface WatchStreamOptions {
  readonly metrics: Pick<ProcessMetrics, 'registry'>
  readonly redis: WatchedRedis
  readonly now: () => Date
  readonly onStop: OnStop
  readonly everyMs?: number
}

interface StreamState {
  readonly length: number
  /** When the oldest entry came; null for an empty stream. */
  readonly oldestAtMs: number | null
}

/** An entry holds a whole exchange, so its id alone leaves Redis: the milliseconds of its arrival, and a number. */
const script = `
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
  return { redis.call('XLEN', KEYS[1]), first[1] and first[1][1] or '' }`

/**
 * Shows what waits in the stream of captured exchanges. What is stored leaves it, so all that is in it waits or is
 * being stored. While Redis is away nothing is shown, rather than an old figure.
 */
export function watchStream({ metrics, redis, now, onStop, everyMs = 15_000 }: WatchStreamOptions): void {
  let state: StreamState | null = null
  const look = async () => {
    const answer = (await redis.eval(script, 1, captureStream.key)) as readonly [number, string]
    const [length, id] = answer
    state = { length, oldestAtMs: id === '' ? null : Number.parseInt(id, 10) }
  }
  const onError = () => {
    state = null
  }
  const gauge = (name: string, help: string, figureOf: (state: StreamState) => number) =>
    new Gauge({
      name,
      help,
      labelNames: [],
      registers: [metrics.registry],
      collect() {
        this.remove()
        if (state !== null) this.set(figureOf(state))
      },
    })
  gauge('capture_stream_length', 'Captured exchanges in Redis that are not stored yet.', ({ length }) => length)
  gauge('capture_oldest_pending_seconds', 'Age of the oldest of them; 0 when there is none.', ({ oldestAtMs }) =>
    oldestAtMs === null ? 0 : Math.max(0, now().getTime() - oldestAtMs) / 1_000,
  )
  void look().catch(onError)
  onStop(repeatEvery({ everyMs, work: look, onError }))
}
