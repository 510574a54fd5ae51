import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { showProgressOf } from './show-progress.ts'

/** The value of the metric. */
async function ageSeconds(metrics: ReturnType<typeof createProcessMetrics>): Promise<number> {
  const text = await metrics.registry.metrics()
  return Number(/^ratchet_worker_progress_age_seconds\{[^}]*\} (\S+)/m.exec(text)?.[1])
}

it('exports the time since the last progress, and passes progress on', async () => {
  const metrics = createProcessMetrics('test')
  const clock = { nowMs: 0 }
  let passedOn = 0
  const onProgress = () => {
    passedOn += 1
  }
  const shown = showProgressOf(metrics, { onProgress }, () => new Date(clock.nowMs))
  clock.nowMs = 90_000
  expect(await ageSeconds(metrics)).toBe(90)

  shown.onProgress()

  expect([passedOn, await ageSeconds(metrics)]).toEqual([1, 0])
})
