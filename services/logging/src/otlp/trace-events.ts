import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import type { TraceIngestEvent } from './trace-ingest.ts'

/** Counts what became of the spans that came in. */
export function createTraceEvents({ registry }: Pick<ProcessMetrics, 'registry'>): (event: TraceIngestEvent) => void {
  const spans = new Counter({
    name: 'ingested_spans_total',
    help: 'OTLP spans: stored as exchange or as span, attached to an exchange of the gateway, known before, or rejected.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(spans, 'outcome', ['exchange', 'span', 'known', 'attached', 'rejected'])
  return ({ kind, count }) => spans.inc({ outcome: kind }, count)
}
