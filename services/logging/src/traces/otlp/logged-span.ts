import { cleanText } from './clean-text.ts'
import type { OtlpSpan } from './read-spans.ts'

/** A span that is not an exchange, in the form in which it is stored. */
export interface LoggedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  /** The operation by its convention, or else the kind of span. */
  readonly kind: string
  readonly startedAt: Date
  readonly endedAt: Date
  readonly status: string
  readonly attributes: Readonly<Record<string, unknown>>
}

const kindAttributes = ['openinference.span.kind', 'gen_ai.operation.name', 'traceloop.span.kind'] as const

export function toLoggedSpan(span: OtlpSpan): LoggedSpan {
  const reported = kindAttributes.map((name) => cleanText(span.attributes.get(name), 64)).find((kind) => kind !== null)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.name,
    kind: reported?.toLowerCase() ?? span.kind,
    startedAt: new Date(Math.floor(span.startMs)),
    endedAt: new Date(Math.floor(span.endMs)),
    status: span.status,
    attributes: Object.fromEntries(span.attributes),
  }
}
