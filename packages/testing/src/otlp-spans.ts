import { traceDescriptor } from '@ratchet/contracts/otlp-trace-descriptor'
import protobuf from 'protobufjs/light.js'

export interface CapturedSpan {
  /** Name of the process that made it. */
  readonly service: string
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly traceId: string
  readonly spanId: string
  /** Null for the root of a trace. */
  readonly parentSpanId: string | null
  readonly attributes: Readonly<Record<string, unknown>>
  readonly hasFailed: boolean
  /** Ids of the traces that it links to. */
  readonly linkedTraceIds: readonly string[]
  readonly durationMs: number
}

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly WireAttribute[]
  readonly links: readonly { readonly traceId: string }[]
  readonly status?: { readonly code: number }
}

interface WireAttribute {
  readonly key: string
  readonly value: WireValue
}

type WireValue = Readonly<Record<string, unknown>> & { readonly arrayValue?: { readonly values: readonly WireValue[] } }

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

const { nested } = traceDescriptor
const root = protobuf.Root.fromJSON({
  ...traceDescriptor,
  nested: {
    ...nested,
    Span: { fields: { ...nested.Span.fields, links: { rule: 'repeated', type: 'Link', id: 13 } } },
    Link: { fields: { traceId: { type: 'bytes', id: 1 }, spanId: { type: 'bytes', id: 2 } } },
  },
})
const requestType = root.lookupType('ExportTraceServiceRequest')
const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const

/** The spans of an ExportTraceServiceRequest in protobuf. */
export function readSpans(body: Buffer): readonly CapturedSpan[] {
  const options = { longs: String, bytes: String, defaults: true, arrays: true } as const
  const request = requestType.toObject(requestType.decode(body), options) as WireRequest
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => spanOf(service, span)))
  })
}

function spanOf(service: string, span: WireSpan): CapturedSpan {
  const parent = hex(span.parentSpanId)
  return {
    service,
    name: span.name,
    kind: kinds[span.kind] ?? 'internal',
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: parent === '' ? null : parent,
    attributes: attributesOf(span.attributes),
    hasFailed: span.status?.code === 2,
    linkedTraceIds: span.links.map(({ traceId }) => hex(traceId)),
    durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
  }
}

function attributesOf(attributes: readonly WireAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, scalarOf(value)]))
}

function scalarOf({ arrayValue, ...scalar }: WireValue): unknown {
  if (arrayValue !== undefined && arrayValue !== null) return arrayValue.values.map(scalarOf)
  return 'intValue' in scalar ? Number(scalar.intValue) : Object.values(scalar)[0]
}

function hex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex')
}
