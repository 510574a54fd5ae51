import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** An ExportTraceServiceRequest in OTLP's JSON encoding; spans are read one by one, so that a bad one costs only itself. */
const TraceExport = z.looseObject({ resourceSpans: z.array(z.unknown()).optional() })

/** An ExportTraceServiceResponse in OTLP's JSON encoding. */
export const TraceExportReply = z.object({
  partialSuccess: z
    .object({
      /** 64 bit, hence in decimal. */
      rejectedSpans: z.string(),
      errorMessage: z.string(),
    })
    .optional(),
})
export type TraceExportReply = z.infer<typeof TraceExportReply>

const description =
  'OTLP over HTTP, `application/x-protobuf` or `application/json`, plain (20 MB) or with `Content-Encoding: gzip` ' +
  '(4 MB compressed); answered in the encoding of the request. Spans of model calls become log entries, the others ' +
  'spans of their trace. A span that was sent before changes nothing.'

const spec = {
  method: 'post',
  service: 'logging',
  body: TraceExport,
  reply: TraceExportReply,
  errors: ['logging_disabled', 'request_too_large', 'unsupported_media_type'],
} as const

export const exportTraces = endpoint({
  ...spec,
  path: '/v1/traces',
  summary: 'Take in OpenTelemetry traces.',
  description,
})

export const exportTracesAlias = endpoint({
  ...spec,
  path: '/v1/otel/v1/traces',
  summary: 'Take in OpenTelemetry traces, under a base path of their own.',
  description: `\`POST /v1/traces\` by another name. ${description}`,
})
