import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions'

/** Milliseconds that a collector which does not answer may delay the end of a process. */
const exportTimeoutMs = 3_000

/** Exports sampled traces of this process until it ends, to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names. */
export function exportTraces(env: Readonly<Record<string, string | undefined>>): void {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: env.OTEL_SERVICE_NAME ?? 'ratchet' }),
    sampler: new ParentBasedSampler({
      root: new TraceIdRatioBasedSampler(Number(env.OTEL_TRACES_SAMPLER_ARG ?? '0.01')),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ timeoutMillis: exportTimeoutMs }),
        scheduledDelayMillis: Number(env.OTEL_BSP_SCHEDULE_DELAY ?? '5000'),
      }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  // A process ends when it has nothing left to do. The last spans are exported then.
  process.once('beforeExit', () => void provider.shutdown().catch(() => undefined))
}
