import { isObject } from '@ratchet/service-kit/values/json'
import { type Attributes, digitsOf, readAttributes } from './any-value.ts'
import { cleanText } from './clean-text.ts'

/** A validated span of OTLP, independent of its encoding. */
export interface OtlpSpan {
  /** 32 hex digits in lower case. */
  readonly traceId: string
  /** 16 hex digits in lower case. */
  readonly spanId: string
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since the epoch, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly status: SpanStatus
  readonly attributes: Attributes
  readonly events: readonly SpanEvent[]
  /** Attributes of the process that sent the span. */
  readonly resource: Attributes
}

export interface SpanEvent {
  readonly name: string
  readonly attributes: Attributes
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const
export type SpanKind = (typeof kinds)[number]
const statuses = ['unset', 'ok', 'error'] as const
export type SpanStatus = (typeof statuses)[number]

/**
 * Reads the spans of an ExportTraceServiceRequest from either encoding, one at a time because there may be many. Yields
 * each span, or a text that says why it is invalid.
 *
 * @returns null when the value is not such a request
 */
export function readSpans(request: unknown): Generator<OtlpSpan | string> | null {
  if (!isObject(request) || !Array.isArray(request.resourceSpans ?? [])) return null
  return eachSpan(request)
}

function* eachSpan(request: Record<string, unknown>): Generator<OtlpSpan | string> {
  for (const resourceSpans of records(request.resourceSpans)) {
    const { resource } = resourceSpans
    const attributes = readAttributes(isObject(resource) ? resource.attributes : null)
    for (const scopeSpans of records(resourceSpans.scopeSpans)) {
      const { spans } = scopeSpans
      if (Array.isArray(spans)) for (const span of spans) yield readSpan(span, attributes)
    }
  }
}

function* records(list: unknown): Generator<Record<string, unknown>> {
  if (Array.isArray(list)) for (const each of list) if (isObject(each)) yield each
}

function readSpan(span: unknown, resource: Attributes): OtlpSpan | string {
  if (!isObject(span)) return 'a span is not an object'
  const traceId = hexId(span.traceId, 16)
  const spanId = hexId(span.spanId, 8)
  if (traceId === null || spanId === null) return 'a span has no valid trace id or span id'
  const startMs = milliseconds(span.startTimeUnixNano)
  const endMs = milliseconds(span.endTimeUnixNano)
  if (startMs === null || endMs === null || endMs < startMs) return 'a span has no valid start and end'
  const status = isObject(span.status) ? span.status.code : 0
  return {
    traceId,
    spanId,
    parentSpanId: hexId(span.parentSpanId, 8),
    name: cleanText(span.name, 256) ?? '',
    kind: at(kinds, span.kind, 'SPAN_KIND_'),
    startMs,
    endMs,
    status: at(statuses, status, 'STATUS_CODE_'),
    attributes: readAttributes(span.attributes),
    events: [...records(span.events)].map((event) => ({
      name: cleanText(event.name, 256) ?? '',
      attributes: readAttributes(event.attributes),
    })),
    resource,
  }
}

/** An id in lower-case hex; it is bytes in protobuf and hex in JSON. Null for a wrong length and for only zeros. */
function hexId(value: unknown, bytes: number): string | null {
  const hex = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  if (typeof hex !== 'string' || hex.length !== 2 * bytes || !/^[\da-f]+$/i.test(hex) || /^0+$/.test(hex)) return null
  return hex.toLowerCase()
}

/** The last moment of the year 9999. */
const maxMs = 253_402_300_799_999

function milliseconds(nanoseconds: unknown): number | null {
  const digits = digitsOf(nanoseconds)
  if (digits === null) return null
  const ms = Number(BigInt(digits) / 1_000n) / 1_000
  return ms > 0 && ms <= maxMs ? ms : null
}

/** The name of an enum value. OTLP uses numbers; protobuf's own JSON uses names. */
function at<T extends string>(names: readonly [T, ...T[]], value: unknown, prefix: string): T {
  const [first] = names
  if (typeof value === 'number') return names[value] ?? first
  if (typeof value !== 'string') return first
  return names.find((name) => value === prefix + name.toUpperCase()) ?? first
}
