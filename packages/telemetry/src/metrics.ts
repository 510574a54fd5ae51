import {
  type CounterConfiguration,
  type GaugeConfiguration,
  Counter as PromCounter,
  Gauge as PromGauge,
  Registry,
} from 'prom-client'
import { collectNodeMetrics } from './event-loop-delay.ts'
import { requireConventions } from './instrument-conventions.ts'
import { LabelledHistogram } from './labelled-histogram.ts'

export type { Registry }

/** A figure that only grows. The constructor throws for a name, label or help text that breaks the conventions. */
export class Counter<Label extends string = string> extends PromCounter<Label> {
  constructor(options: CounterConfiguration<Label>) {
    requireConventions({ kind: 'counter', name: options.name, help: options.help, labelNames: options.labelNames })
    super(options)
  }
}

/** A figure that grows and shrinks. The constructor throws for a name, label or help text that breaks the conventions. */
export class Gauge<Label extends string = string> extends PromGauge<Label> {
  constructor(options: GaugeConfiguration<Label>) {
    requireConventions({ kind: 'gauge', name: options.name, help: options.help, labelNames: options.labelNames })
    super(options)
  }
}

/** Seconds. The gateway itself takes milliseconds, an answer may take minutes. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** The metrics of every process: its own health, and requests by route and status. */
export interface ProcessMetrics {
  readonly registry: Registry
  /** `http_route` is a pattern, never a path, because every value is a time series of its own. */
  readonly requestSeconds: LabelledHistogram<RequestLabel>
}

/** Attributes of OpenTelemetry's conventions for HTTP servers. */
const requestLabels = ['http_request_method', 'http_route', 'http_response_status_code'] as const
type RequestLabel = (typeof requestLabels)[number]

/** Creates a registry of its own, because tests start many services in one process, with Node's default metrics. */
export function createProcessMetrics(service: string): ProcessMetrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectNodeMetrics(registry)
  const requestSeconds = new LabelledHistogram(registry, {
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, from their head to the end of the answer.',
    labelNames: requestLabels,
    buckets: durationBuckets,
  })
  return { registry, requestSeconds }
}

/**
 * Exposes a counter's series with 0 before anything is counted, because a rate misses the first event of a series that
 * appears with it.
 */
export function startAtZero<Name extends string>(counter: Counter<Name>, label: Name, values: readonly string[]): void {
  for (const value of values) counter.inc({ [label]: value } as Partial<Record<Name, string>>, 0)
}
