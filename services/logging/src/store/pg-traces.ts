import type { Pool } from '@ratchet/db/connect-pool'
import { clockSkewMs, type DuplicateSpan, type GatewayRow } from '../domain/otlp/pair-duplicates.ts'
import { keptUntil } from '../domain/otlp/to-raw-exchange.ts'
import type { StoredSpan, TraceSettings, TraceStore } from '../otlp/trace-store.ts'
import { expiryDay } from './partitions.ts'

interface RelatedRow {
  readonly id: string
  readonly expires_on: string
  readonly request_id: string
  readonly source: string
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly created_at: Date
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** Rows of one look that may be twins of a hundred spans. */
const maxRows = 1_000
const dayMs = 86_400_000

/** Trace ingest's view of the log in Postgres. */
export function createPgTraces(pool: Pick<Pool, 'query'>): TraceStore {
  return {
    async settings(workspaceId) {
      const { rows } = await pool.query<{ retention_days: number }>({
        name: 'logging-trace-settings',
        text: 'SELECT retention_days FROM workspace_logging_settings WHERE workspace_id = $1 AND logging_enabled',
        values: [workspaceId],
      })
      return rows[0] === undefined ? null : { retentionDays: rows[0].retention_days }
    },
    async related(workspaceId, spans, settings) {
      const { rows } = await pool.query<RelatedRow>(selectRelated(workspaceId, spans, settings))
      return {
        known: new Set(rows.flatMap(({ trace_id, span_id }) => (span_id === null ? [] : [`${trace_id}${span_id}`]))),
        gatewayRows: rows.filter(({ source }) => source === 'gateway').map(gatewayRow),
      }
    },
    async attach(duplicates) {
      await pool.query({
        name: 'logging-attach-spans',
        text: attachText,
        values: [
          duplicates.map(({ row }) => row.expiresOn),
          duplicates.map(({ row }) => row.id),
          duplicates.map(({ span }) => span.traceId),
          duplicates.map(({ span }) => span.spanId),
          duplicates.map(({ span }) => span.parentSpanId),
        ],
      })
    },
    async writeSpans(spans) {
      await pool.query(insertSpans(spans))
    },
  }
}

const relatedColumns = `id, expires_on::text, request_id, source, trace_id, span_id, created_at, prompt_tokens, completion_tokens`

/** The trace's rows with these spans or without any; and whichever rows the spans name. */
const relatedText = `
  (SELECT ${relatedColumns} FROM exchange
   WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND span_id = ANY($3::text[]))
  UNION ALL
  (SELECT ${relatedColumns} FROM exchange
   WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND span_id IS NULL AND source = 'gateway'
     AND created_at BETWEEN $4 AND $5
   LIMIT ${maxRows})
  UNION ALL
  (SELECT ${relatedColumns} FROM exchange
   WHERE workspace_id = $1 AND request_id = ANY($6::uuid[]) AND expires_on = ANY($7::date[]) AND source = 'gateway'
     AND NOT (trace_id IS NOT NULL AND trace_id = ANY($2::text[])))`

function selectRelated(workspaceId: string, spans: readonly DuplicateSpan[], { retentionDays }: TraceSettings) {
  const starts = spans.map(({ startedAt }) => startedAt.getTime())
  const ends = spans.map(({ startedAt, latencyMs }) => startedAt.getTime() + latencyMs)
  const named = spans.filter(({ gatewayRequestId }) => gatewayRequestId !== null)
  const days = named.flatMap(({ startedAt, latencyMs }) =>
    [-dayMs, 0, latencyMs, latencyMs + dayMs].map((ms) =>
      expiryDay(keptUntil(new Date(startedAt.getTime() + ms), retentionDays)),
    ),
  )
  return {
    name: 'logging-related-rows',
    text: relatedText,
    values: [
      workspaceId,
      [...new Set(spans.map(({ traceId }) => traceId))],
      spans.map(({ spanId }) => spanId),
      new Date(Math.min(...starts) - clockSkewMs),
      new Date(Math.max(...ends) + clockSkewMs),
      named.map(({ gatewayRequestId }) => gatewayRequestId),
      [...new Set(days)],
    ],
  }
}

function gatewayRow(row: RelatedRow): GatewayRow {
  return {
    id: row.id,
    expiresOn: row.expires_on,
    requestId: row.request_id,
    traceId: row.trace_id,
    spanId: row.span_id,
    createdAt: row.created_at,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
  }
}

/** A row that has no trace yet joins that of its span. */
const attachText = `
  UPDATE exchange e
  SET span_id = twin.span_id, parent_span_id = twin.parent_span_id, trace_id = coalesce(e.trace_id, twin.trace_id)
  FROM unnest($1::date[], $2::uuid[], $3::text[], $4::text[], $5::text[])
    AS twin(expires_on, id, trace_id, span_id, parent_span_id)
  WHERE e.expires_on = twin.expires_on AND e.id = twin.id AND e.span_id IS NULL`

type Column = readonly [name: string, type: string, value: (span: StoredSpan) => unknown]

const spanColumns: readonly Column[] = [
  ['workspace_id', 'uuid', ({ workspaceId }) => workspaceId],
  ['trace_id', 'text', ({ traceId }) => traceId],
  ['span_id', 'text', ({ spanId }) => spanId],
  ['parent_span_id', 'text', ({ parentSpanId }) => parentSpanId],
  ['name', 'text', ({ name }) => name],
  ['kind', 'text', ({ kind }) => kind],
  ['started_at', 'timestamptz', ({ startedAt }) => startedAt.toISOString()],
  ['ended_at', 'timestamptz', ({ endedAt }) => endedAt.toISOString()],
  ['status', 'text', ({ status }) => status],
  ['attributes', 'text', ({ attributes }) => attributes],
  ['expires_at', 'timestamptz', ({ expiresAt }) => expiresAt.toISOString()],
]

const insertText = `
  INSERT INTO span (${spanColumns.map(([name]) => name).join(', ')})
  SELECT * FROM unnest(${spanColumns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
  ON CONFLICT DO NOTHING`

function insertSpans(spans: readonly StoredSpan[]) {
  return {
    name: 'logging-insert-spans',
    text: insertText,
    values: spanColumns.map(([, , value]) => spans.map(value)),
  }
}
