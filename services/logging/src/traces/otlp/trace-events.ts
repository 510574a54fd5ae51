import { Counter, type ProcessMetrics, startAtZero } from '@ratchet/telemetry/metrics'
import type { TraceIngestEvent } from './trace-ingest.ts'

/** Counts received spans by outcome. */
export function createTraceEvents({ registry }: Pick<ProcessMetrics, 'registry'>): (event: TraceIngestEvent) => void {
  const spans = new Counter({
    name: 'ratchet_log_received_spans_total',
    help: 'OTLP spans that the log received: stored as exchange or as span, attached to a logged exchange, known, or rejected.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  startAtZero(spans, 'outcome', ['exchange', 'span', 'known', 'attached', 'rejected'])
  return ({ kind, count }) => spans.inc({ outcome: kind }, count)
}
