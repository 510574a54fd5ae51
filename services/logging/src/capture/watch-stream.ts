import { captureStreamKeys } from '@ratchet/contracts/captured-exchange'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** The part of ioredis that reads the state of the streams. */
export interface WatchedRedis {
  eval(script: string, keyCount: number, ...keys: string[]): Promise<unknown>
}

export interface WatchStreamOptions {
  readonly metrics: Pick<ProcessMetrics, 'registry'>
  readonly redis: WatchedRedis
  readonly now: () => Date
  readonly onStop: OnStop
  readonly everyMs?: number
}

/** What waits in the streams of captured exchanges. */
export interface StreamState {
  readonly length: number
  /** When the oldest entry arrived; null when nothing waits. */
  readonly oldestAtMs: number | null
}

/**
 * Returns the number of entries of each stream and the id of its oldest one, but no entry, because an entry holds whole
 * exchanges. An id begins with the milliseconds of its arrival.
 */
const script = `
  local states = {}
  for _, key in ipairs(KEYS) do
    local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)
    states[#states + 1] = { redis.call('XLEN', key), first[1] and first[1][1] or '' }
  end
  return states`

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
  const states = (await redis.eval(script, captureStreamKeys.length, ...captureStreamKeys)) as readonly (readonly [
    number,
    string,
  ])[]
  const arrivals = states.flatMap(([, id]) => (id === '' ? [] : [Number.parseInt(id, 10)]))
  const length = states.reduce((sum, [entries]) => sum + entries, 0)
  return { length, oldestAtMs: arrivals.length === 0 ? null : Math.min(...arrivals) }
}
