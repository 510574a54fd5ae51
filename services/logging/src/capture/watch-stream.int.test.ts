import { captureStream, unsealedCaptureStream } from '@ratchet/contracts/captured-exchange'
import type { Stop } from '@ratchet/service-kit/process/run-process'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshRedis, freshRedis } from '@ratchet/testing/fresh-redis'
import { Redis } from 'ioredis'
import { watchStream } from './watch-stream.ts'

let fresh: FreshRedis
let redis: Redis
const stops: Stop[] = []
beforeAll(async () => {
  fresh = await freshRedis()
  redis = new Redis(fresh.url, { maxRetriesPerRequest: 0, enableOfflineQueue: true, retryStrategy: () => null })
  redis.on('error', () => undefined)
})
afterAll(async () => {
  for (const stop of stops) await stop()
  redis.disconnect()
  await fresh.drop()
})

it('shows how many entries wait in the streams and how old they are, and nothing once Redis is unavailable', async () => {
  const metrics = createProcessMetrics('test')
  const clock = { nowMs: 0 }
  const now = () => new Date(clock.nowMs)
  watchStream({ metrics, redis, now, onStop: (stop) => stops.push(stop), everyMs: 10 })
  const shown = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^ratchet_capture_\w+\{/.test(line))

  await eventually(async () =>
    expect(await shown()).toEqual([
      'ratchet_capture_stream_entries{service="test"} 0',
      'ratchet_capture_oldest_pending_age_seconds{service="test"} 0',
    ]),
  )
  await redis.xadd(unsealedCaptureStream.key, '100000-0', 'meta', '{}')
  await redis.xadd(captureStream.key, '150000-0', 'meta', '{}')
  clock.nowMs = 190_000
  await eventually(async () =>
    expect(await shown()).toEqual([
      'ratchet_capture_stream_entries{service="test"} 2',
      'ratchet_capture_oldest_pending_age_seconds{service="test"} 90',
    ]),
  )
  redis.disconnect()
  await eventually(async () => expect(await shown()).toEqual([]))
})
