import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type SpanContext,
  SpanKind,
  trace,
} from '@opentelemetry/api'
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
 *
 * @param jobs `notifications`: the job itself is no work. No span is recorded, and the enqueuing span is the active one.
 */
export function createQueueTelemetry(jobs: 'work' | 'notifications' = 'work'): Telemetry<Context> {
  const { contextManager } = new BullMQOtel({ tracerName: 'ratchet' })
  return {
    contextManager,
    tracer: {
      startSpan: (name, options, parent) => {
        const kind = options?.kind
        const isNotification = jobs === 'notifications' && kind === SpanKind.CONSUMER
        return new QueueSpan(isNotification ? producerOf(parent) : startQueueSpan(queueOf(name), kind, parent))
      },
    },
  }
}

function producerOf(enqueuedBy: Context | undefined) {
  const producer = enqueuedBy === undefined ? undefined : trace.getSpanContext(enqueuedBy)
  return producer === undefined ? nothing : trace.wrapSpanContext(producer)
}

/** Spans that enqueued notifications of rows. */
export interface Causes {
  /** Remembers that the active span led to the row. */
  remember(rowId: string): void
  /** The span that led to the row, if it is known. */
  take(rowId: string): SpanContext | undefined
}

/** Another process may work on the row, so the oldest are deleted. */
const maxCauses = 1_000

export function rememberCauses(): Causes {
  const causes = new Map<string, SpanContext>()
  return {
    remember(rowId) {
      const cause = trace.getActiveSpan()?.spanContext()
      if (cause === undefined || !trace.isSpanContextValid(cause)) return
      causes.set(rowId, cause)
      const [oldest] = causes.keys()
      if (causes.size > maxCauses && oldest !== undefined) causes.delete(oldest)
    },
    take(rowId) {
      const cause = causes.get(rowId)
      causes.delete(rowId)
      return cause
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
