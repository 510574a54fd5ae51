import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { createDrain } from './drain.ts'
import { showDrain } from './show-drain.ts'

/** The value of a metric without own labels. */
async function shownAs(metrics: ReturnType<typeof createProcessMetrics>, name: string): Promise<number> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(`${name}{`))
  return Number(line?.split(' ')[1])
}

it('exports the time since the drain began', async () => {
  const metrics = createProcessMetrics('test')
  const drain = createDrain()
  showDrain(metrics, { drain, timeoutMs: 600_000 })
  expect(await shownAs(metrics, 'ratchet_drain_elapsed_seconds')).toBe(0)

  drain.begin()

  await metrics.registry.metrics()
  expect(await shownAs(metrics, 'ratchet_drain_elapsed_seconds')).toBeGreaterThan(0)
  expect(await shownAs(metrics, 'ratchet_drain_timeout_seconds')).toBe(600)
})
