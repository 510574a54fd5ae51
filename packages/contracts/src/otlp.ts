import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { endpoint } from './endpoint.ts'

/**
 * An ExportTraceServiceRequest in OTLP's JSON encoding. Spans are read one by one, so that an invalid one has no effect
 * on the others.
 */
export const TraceExport = z.looseObject({ resourceSpans: z.array(z.unknown()).optional() })

/** An ExportTraceServiceResponse in OTLP's JSON encoding. */
export const TraceExportReply = z.object({
  partialSuccess: z
    .object({
      /** A 64 bit number, so it is a decimal text. */
      rejectedSpans: z.string(),
      errorMessage: z.string(),
    })
    .optional(),
})
export type TraceExportReply = z.infer<typeof TraceExportReply>

const description =
  'OTLP over HTTP, `application/x-protobuf` or `application/json`, plain (20 MB) or with `Content-Encoding: gzip` ' +
  '(4 MB compressed); answered in the encoding of the request. Spans of model calls become log entries, the others ' +
  'spans of their trace. An export with more than 500,000 messages, or objects and arrays, or one that takes too much memory ' +
  'or more than 20 seconds to read, is refused with 413. A span that was sent before changes nothing. `partialSuccess` counts spans that were rejected, and ' +
  'model calls in a form that is not known, which become spans only.'

const spec = {
  method: 'post',
  service: 'logging',
  permission: 'any',
  maxBodyBytes: 20 * mebibyte,
  maxGzippedBytes: 4 * mebibyte,
  body: TraceExport,
  reply: TraceExportReply,
  errors: ['logging_disabled', 'request_too_large', 'unsupported_media_type'],
} as const

export const exportTraces = endpoint({
  ...spec,
  path: '/v1/traces',
  summary: 'Receive OpenTelemetry traces.',
  description,
})

export const exportTracesAlias = endpoint({
  ...spec,
  path: '/v1/otel/v1/traces',
  summary: 'Receive OpenTelemetry traces under a separate base path.',
  description: `\`POST /v1/traces\` at another path. ${description}`,
})

const dropped =
  'Exporters that are configured with one endpoint for all signals send these beside traces. They are accepted so that the ' +
  'exporter reports no error, and nothing of them is read or stored. Answered in the encoding of the request.'

const droppedSpec = {
  ...spec,
  errors: ['request_too_large', 'unsupported_media_type'],
  body: z.looseObject({ resourceMetrics: z.unknown().optional(), resourceLogs: z.unknown().optional() }),
  reply: z.object({}),
  description: dropped,
} as const

export const exportMetrics = endpoint({
  ...droppedSpec,
  path: '/v1/metrics',
  summary: 'Accept OpenTelemetry metrics, and drop them.',
})

export const exportMetricsAlias = endpoint({
  ...droppedSpec,
  path: '/v1/otel/v1/metrics',
  summary: 'Accept OpenTelemetry metrics under a separate base path, and drop them.',
})

export const exportLogRecords = endpoint({
  ...droppedSpec,
  path: '/v1/logs',
  summary: 'Accept OpenTelemetry log records, and drop them.',
})

export const exportLogRecordsAlias = endpoint({
  ...droppedSpec,
  path: '/v1/otel/v1/logs',
  summary: 'Accept OpenTelemetry log records under a separate base path, and drop them.',
})

/** Signals other than traces. */
export const droppedExports = [exportMetrics, exportMetricsAlias, exportLogRecords, exportLogRecordsAlias] as const
