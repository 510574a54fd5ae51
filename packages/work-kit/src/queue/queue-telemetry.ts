import { type Attributes, type Context, context, INVALID_SPAN_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { errorNameOf, markFailed, recordedSpan } from '@ratchet/telemetry/spans'
import type { Telemetry } from 'bullmq'
import { BullMQOTelSpan, BullMQOtel } from 'bullmq-otel'

const tracer = trace.getTracer('ratchet')

/** BullMQ would also record messages of errors, which may contain texts of users. */
const recordedAttributes: ReadonlySet<string> = new Set(['bullmq.queue.name', 'bullmq.job.id', 'bullmq.job.bulk.count'])

class QueueSpan extends BullMQOTelSpan {
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
 * Traces of queues. A job only notifies a worker of a row, and another job or a search may lead a worker to the same row,
 * much later or together with thousands. Therefore its work is a trace of its own with its own sampling decision, linked
 * to the span that enqueued the job. BullMQ's internal steps are not traced.
 */
export function createQueueTelemetry(): Telemetry<Context> {
  const { contextManager } = new BullMQOtel({ tracerName: 'ratchet' })
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) => new QueueSpan(startQueueSpan(queueOf(name), options?.kind, parent)),
    },
  }
}

/** BullMQ names a span by its operation and its queue, separated by a space. */
function queueOf(name: string): string {
  return name.slice(name.indexOf(' ') + 1)
}

function startQueueSpan(queue: string, kind: number | undefined, enqueuedBy: Context | undefined) {
  const attributes = { 'messaging.system': 'bullmq', 'messaging.destination.name': queue }
  if (kind === SpanKind.PRODUCER && recordedSpan() !== null) {
    return tracer.startSpan(`send ${queue}`, { kind, attributes }, context.active())
  }
  if (kind !== SpanKind.CONSUMER) return nothing
  const producer = enqueuedBy === undefined ? undefined : trace.getSpanContext(enqueuedBy)
  const links = producer === undefined ? [] : [{ context: producer }]
  return tracer.startSpan(`process ${queue}`, { kind, attributes, links, root: true })
}
