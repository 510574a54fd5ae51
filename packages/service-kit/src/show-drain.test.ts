import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { createDrain } from './drain.ts'
import { showDrain } from './show-drain.ts'
import { showProgressOf } from './show-progress.ts'

/** The value of a metric without labels of its own. */
async function shownAs(metrics: ReturnType<typeof createProcessMetrics>, name: string): Promise<number> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(`${name}{`))
  return Number(line?.split(' ')[1])
}

it('shows a process on its way out', async () => {
  const metrics = createProcessMetrics('test')
  const drain = createDrain()
  showDrain(metrics, { drain, timeoutMs: 600_000 })
  expect(await shownAs(metrics, 'drain_elapsed_seconds')).toBe(0)

  drain.begin()

  await metrics.registry.metrics()
  expect(await shownAs(metrics, 'drain_elapsed_seconds')).toBeGreaterThan(0)
  expect(await shownAs(metrics, 'drain_timeout_seconds')).toBe(600)
})

it('shows since when a worker has done nothing, and passes on what it says', async () => {
  const metrics = createProcessMetrics('test')
  const clock = { nowMs: 0 }
  let passedOn = 0
  const onProgress = () => {
    passedOn += 1
  }
  const shown = showProgressOf(metrics, { onProgress }, () => new Date(clock.nowMs))
  clock.nowMs = 90_000
  expect(await shownAs(metrics, 'worker_progress_age_seconds')).toBe(90)

  shown.onProgress()

  expect([passedOn, await shownAs(metrics, 'worker_progress_age_seconds')]).toEqual([1, 0])
})
