import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

const hourMs = 3_600_000

/** Gauges of prom-client that come from its timer. */
const fromTimer = ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'].map(
  (figure) => `nodejs_eventloop_lag${figure}_seconds`,
)

/**
 * Adds Node's default metrics. prom-client measures the event loop with a timer of 10 ms, which takes more CPU than all
 * other work of an idle process. Here each turn of the loop is measured when there is one, so an idle process sleeps.
 */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: hourMs })
  for (const name of fromTimer) registry.removeSingleMetric(name)
  collectEventLoopDelay(registry)
}

/** Seconds that turns of the event loop took since the metrics were read before, without the time of waiting. */
function collectEventLoopDelay(registry: Registry): void {
  const delays = monitorEventLoopDelay({ samplePerIteration: true })
  delays.enable()
  const registers = [registry]
  const median = new Gauge({
    name: 'nodejs_eventloop_lag_p50_seconds',
    help: 'Median duration of the turns of the event loop.',
    registers,
    collect() {
      const seconds = (nanoseconds: number) => (delays.count === 0 ? 0 : nanoseconds / 1e9)
      median.set(seconds(delays.percentile(50)))
      slow.set(seconds(delays.percentile(99)))
      slowest.set(seconds(delays.max))
      delays.reset()
    },
  })
  const slow = new Gauge({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: '99th percentile of the duration of the turns of the event loop.',
    registers,
  })
  const slowest = new Gauge({
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'Longest turn of the event loop.',
    registers,
  })
}
