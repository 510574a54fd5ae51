import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { expiryDay } from '../../exchanges/expiry-day.ts'
import { clockSkewMs, type DuplicateSpan, type GatewayExchange } from './pair-duplicates.ts'
import { retainedUntil } from './to-raw-exchange.ts'
import type { DescribedExchanges, TraceSettings } from './trace-store.ts'

interface RelatedRow
  extends Pick<
    Row<'exchange'>,
    'id' | 'request_id' | 'source' | 'trace_id' | 'span_id' | 'created_at' | 'prompt_tokens' | 'completion_tokens'
  > {
  readonly expires_on: string
}

/** Maximum number of rows that are read as candidates for a batch of spans. */
const maxRows = 1_000

/** Finds exchanges that spans describe in Postgres. */
export function createPgRelatedExchanges(pool: Pick<Pool, 'query'>): Pick<DescribedExchanges, 'related' | 'attach'> {
  return {
    async related(workspaceId, spans, settings) {
      const { rows } = await pool.query<RelatedRow>(selectRelated(workspaceId, spans, settings))
      return {
        known: new Set(rows.flatMap(({ trace_id, span_id }) => (span_id === null ? [] : [`${trace_id}${span_id}`]))),
        gatewayExchanges: rows.filter(({ source }) => source === 'gateway').map(gatewayExchange),
      }
    },
    async attach(workspaceId, duplicates) {
      await pool.query({
        name: 'logging-attach-spans',
        text: attachText,
        values: [
          duplicates.map(({ exchange }) => exchange.expiresOn),
          duplicates.map(({ exchange }) => exchange.id),
          duplicates.map(({ span }) => span.traceId),
          duplicates.map(({ span }) => span.spanId),
          duplicates.map(({ span }) => span.parentSpanId),
          workspaceId,
        ],
      })
    },
  }
}

const relatedColumns = `id, expires_on::text, request_id, source, trace_id, span_id, created_at, prompt_tokens, completion_tokens`

/** Rows of the traces that have one of these spans or no span, and the rows of requests that the spans name. */
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
      expiryDay(retainedUntil(new Date(startedAt.getTime() + ms), retentionDays)),
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

function gatewayExchange(row: RelatedRow): GatewayExchange {
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

/** A row without a trace gets the trace of its span. */
const attachText = `
  UPDATE exchange e
  SET span_id = pair.span_id, parent_span_id = pair.parent_span_id, trace_id = coalesce(e.trace_id, pair.trace_id)
  FROM unnest($1::date[], $2::uuid[], $3::text[], $4::text[], $5::text[])
    AS pair(expires_on, id, trace_id, span_id, parent_span_id)
  WHERE e.expires_on = pair.expires_on AND e.id = pair.id AND e.workspace_id = $6 AND e.span_id IS NULL`
