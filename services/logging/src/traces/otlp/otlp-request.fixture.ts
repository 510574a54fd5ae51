import { type OtlpSpan, readSpans } from './read-spans.ts'

/*
 * Test support: trace exports in OTLP's JSON encoding.
 */

/** The valid spans of an export and the problems of the others; null when the value is not an export. */
export function spansIn(request: unknown): { spans: OtlpSpan[]; problems: string[] } | null {
  const read = readSpans(request)
  if (read === null) return null
  const all = [...read]
  return {
    spans: all.filter((span) => typeof span !== 'string'),
    problems: all.filter((span) => typeof span === 'string'),
  }
}

export interface SpanSpec {
  readonly traceId?: string
  readonly spanId?: string
  readonly parentSpanId?: string
  readonly name?: string
  readonly kind?: number
  /** Milliseconds since the epoch. */
  readonly startMs?: number
  readonly endMs?: number
  readonly statusCode?: number
  readonly attributes?: Record<string, unknown>
  readonly events?: readonly { readonly name: string; readonly attributes: Record<string, unknown> }[]
}

export const traceId = '0af7651916cd43dd8448eb211c80319c'
export const spanId = 'b7ad6b7169203331'
export const startMs = Date.UTC(2026, 10, 21, 12)

export function otlpRequest(spans: readonly SpanSpec[], resource: Record<string, unknown> = {}): object {
  const scopeSpans = [{ scope: { name: 'test' }, spans: spans.map(otlpSpan) }]
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] }
}

function otlpSpan(spec: SpanSpec): object {
  const { startMs: start = startMs, endMs = start + 1_500 } = spec
  return {
    traceId: spec.traceId ?? traceId,
    spanId: spec.spanId ?? spanId,
    parentSpanId: spec.parentSpanId ?? '',
    name: spec.name ?? 'chat',
    kind: spec.kind ?? 3,
    startTimeUnixNano: `${start}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: keyValues(spec.attributes ?? {}),
    events: (spec.events ?? []).map(({ name, attributes }) => ({ name, attributes: keyValues(attributes) })),
    status: { code: spec.statusCode ?? 0 },
  }
}

export function keyValues(record: Record<string, unknown>): object[] {
  return Object.entries(record).map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  if (typeof value === 'object' && value !== null)
    return { kvlistValue: { values: keyValues(value as Record<string, unknown>) } }
  return {}
}
