import { captureStream } from '@ratchet/contracts/captured-exchange'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** The part of ioredis that reads the state of the stream. */
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

/** What waits in the stream. */
export interface StreamState {
  readonly length: number
  /** When the oldest entry arrived; null for an empty stream. */
  readonly oldestAtMs: number | null
}

/**
 * Returns only the id of the oldest entry, because an entry holds a whole exchange. An id begins with the milliseconds
 * of its arrival.
 */
const script = `
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
  return { redis.call('XLEN', KEYS[1]), first[1] and first[1][1] or '' }`

/**
 * Exposes the length and age of the stream of captured exchanges. Stored entries are deleted from it, so every entry in
 * it is waiting or being stored. While Redis is unavailable the metrics are absent instead of out of date.
 */
export function watchStream({ metrics, redis, now, onStop, everyMs = 15_000 }: WatchStreamOptions): void {
  let state: StreamState | null = null
  const update = async () => {
    state = await readStreamState(redis)
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
  gauge(
    'ratchet_capture_stream_entries',
    'Batches of captured exchanges in Redis that are not stored yet.',
    ({ length }) => length,
  )
  gauge(
    'ratchet_capture_oldest_pending_age_seconds',
    'Age of the oldest captured exchange that is not stored yet; 0 when there is none.',
    ({ oldestAtMs }) => (oldestAtMs === null ? 0 : Math.max(0, now().getTime() - oldestAtMs) / 1_000),
  )
  void update().catch(onError)
  onStop(repeatEvery({ everyMs, work: update, onError }))
}

/** @throws Error while Redis is unavailable */
export async function readStreamState(redis: WatchedRedis): Promise<StreamState> {
  const [length, id] = (await redis.eval(script, 1, captureStream.key)) as readonly [number, string]
  return { length, oldestAtMs: id === '' ? null : Number.parseInt(id, 10) }
}
