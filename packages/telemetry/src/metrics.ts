import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { LabelledHistogram } from './labelled-histogram.ts'

export { Counter, Gauge, Histogram, type Registry }

/** Seconds; a gateway's own time is milliseconds, an answer's may be minutes. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** What every process measures: its own health, and requests by route and status. */
export interface ProcessMetrics {
  readonly registry: Registry
  /** `route` is a pattern, never a path: one series is kept for each. */
  readonly requestSeconds: LabelledHistogram<'method' | 'route' | 'status'>
}

/** Creates a registry of its own (tests start many services in one process) with Node's default metrics. */
export function createProcessMetrics(service: string): ProcessMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const requestSeconds = new LabelledHistogram(registry, {
    name: 'http_server_request_duration_seconds',
    help: 'Time from the request head to the end of the answer.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: durationBuckets,
  })
  return { registry, requestSeconds }
}

/**
 * Shows a counter's series before anything is counted: a rate sees the first event only of a series that was there
 * before it.
 */
export function startAtZero<Name extends string>(counter: Counter<Name>, label: Name, values: readonly string[]): void {
  for (const value of values) counter.inc({ [label]: value } as Partial<Record<Name, string>>, 0)
}
