import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { RequestHistogram } from './request-histogram.ts'

export { Counter, Gauge, Histogram, type Registry }

/** Seconds; a gateway's own time is milliseconds, an answer's may be minutes. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** What every process measures: its own health, and requests by route and status. */
export interface ProcessMetrics {
  readonly registry: Registry
  readonly requestSeconds: RequestHistogram
}

/** Creates a registry of its own (tests start many services in one process) with Node's default metrics. */
export function createProcessMetrics(service: string): ProcessMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return { registry, requestSeconds: new RequestHistogram(registry, durationBuckets) }
}
