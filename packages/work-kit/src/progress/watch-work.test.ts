import type { Stop } from '@ratchet/service-kit/process/run-process'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { eventually } from '@ratchet/testing/eventually'
import { type WorkReading, watchWork } from './watch-work.ts'

const stops: Stop[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const judge: WorkReading = { queue: 'judge', unfinished: 7, leased: 2, deadLettered: 1, oldestPendingSeconds: 90 }
const deliveries: WorkReading = { ...judge, queue: 'webhook-delivery', leased: null, deadLettered: null }

/** Watches a database with scripted answers. */
function watched(read: () => Promise<readonly WorkReading[]>) {
  const metrics = createProcessMetrics('test')
  const clock = { nowMs: 0 }
  const warnings: string[] = []
  watchWork({
    metrics,
    read,
    now: () => new Date(clock.nowMs),
    onStop: (stop) => stops.push(stop),
    logger: { warn: (_fields, message) => warnings.push(message) },
    everyMs: 5,
  })
  const work = async () =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^ratchet_work_\w+\{/.test(line))
  return { clock, warnings, work }
}

it('exports the figures that were read, and none that is null', async () => {
  const { work } = watched(async () => [judge, deliveries])
  await eventually(async () =>
    expect(await work()).toEqual([
      'ratchet_work_items_unfinished{queue="judge",service="test"} 7',
      'ratchet_work_items_unfinished{queue="webhook-delivery",service="test"} 7',
      'ratchet_work_items_leased{queue="judge",service="test"} 2',
      'ratchet_work_items_dead_lettered{queue="judge",service="test"} 1',
      'ratchet_work_oldest_pending_age_seconds{queue="judge",service="test"} 90',
      'ratchet_work_oldest_pending_age_seconds{queue="webhook-delivery",service="test"} 90',
      'ratchet_work_read_age_seconds{service="test"} 0',
    ]),
  )
})

it('exports no figure older than a minute, only its age, until the database is back', async () => {
  let isAway = false
  const { clock, warnings, work } = watched(async () => {
    if (isAway) throw new Error('away')
    return [judge]
  })
  await eventually(async () => expect(await work()).toHaveLength(5))
  isAway = true
  await eventually(() => expect(warnings).toContain('work was not counted'))
  clock.nowMs = 61_000

  expect(await work()).toEqual(['ratchet_work_read_age_seconds{service="test"} 61'])

  isAway = false
  await eventually(async () => expect(await work()).toHaveLength(5))
})
