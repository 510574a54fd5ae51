import { type Attributes, type Context, context, INVALID_SPAN_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { errorNameOf, markFailed, recordedSpan } from '@ratchet/telemetry/spans'
import type { Telemetry } from 'bullmq'
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel'

const tracer = trace.getTracer('ratchet')

/** What is said of a job: BullMQ would add the messages of its errors, which may hold what was asked. */
const recordedAttributes: ReadonlySet<string> = new Set(['bullmq.queue.name', 'bullmq.job.id', 'bullmq.job.bulk.count'])

class DiscreetSpan extends BullMQOTelSpan {
  override setAttribute(key: string, value: Attributes[string]): void {
    if (recordedAttributes.has(key) && value !== undefined) this.span.setAttribute(key, value)
  }

  override setAttributes(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) this.setAttribute(key, value)
  }

  override addEvent(): void {}

  override recordException(exception: unknown): void {
    markFailed(this.span, errorNameOf(exception))
  }
}

const nothing = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

/**
 * How BullMQ tells of its queues. A job only rings for a row, which another ring or a sweep may bring to a worker as
 * well, much later, or together with thousands: its work is a trace of its own, sampled for itself, and linked to
 * whoever rang. BullMQ's own steps in between are nobody's concern.
 */
export function createQueueTelemetry(): Telemetry<Context> {
  const { contextManager } = new BullMQOtel({ tracerName: 'ratchet' })
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) => new DiscreetSpan(startQueueSpan(queueOf(name), options?.kind, parent)),
    },
  }
}

/** BullMQ names a span by what is done and where. */
function queueOf(name: string): string {
  return name.slice(name.indexOf(' ') + 1)
}

function startQueueSpan(queue: string, kind: number | undefined, rungBy: Context | undefined) {
  const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': queue }
  if (kind === SpanKind.PRODUCER && recordedSpan() !== null) {
    return tracer.startSpan(`send ${queue}`, { kind, attributes }, context.active())
  }
  if (kind !== SpanKind.CONSUMER) return nothing
  const ring = rungBy === undefined ? undefined : trace.getSpanContext(rungBy)
  const links = ring === undefined ? [] : [{ context: ring }]
  return tracer.startSpan(`process ${queue}`, { kind, attributes, links, root: true })
}
