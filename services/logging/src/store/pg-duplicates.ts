import type { Pool } from '@ratchet/db/connect-pool'
import { type DuplicateSpan, type GatewayRow, pairDuplicates } from '../domain/otlp/pair-duplicates.ts'
import type { DuplicateSpanStore } from '../otlp/merge-duplicates.ts'

interface Row {
  readonly id: string
  readonly expires_on: string
  readonly request_id: string
  readonly source: string
  readonly trace_id: string
  readonly span_id: string | null
  readonly parent_span_id: string | null
  readonly created_at: Date
  readonly latency_ms: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

interface OtlpSpanOfRow extends DuplicateSpan {
  readonly id: string
  readonly expiresOn: string
}

/** Rows of one look. */
const maxRows = 1_000
/** Milliseconds by which a span may have begun before the request that it is about. */
const longestSpanMs = 3_600_000

/** Twins among the rows of the log in Postgres. */
export function createPgDuplicates(pool: Pick<Pool, 'query'>): DuplicateSpanStore {
  return {
    async merge({ workspaceId, traceIds, from, to }) {
      const earliest = new Date(from.getTime() - longestSpanMs)
      const latest = new Date(to.getTime() + longestSpanMs)
      const values = [workspaceId, traceIds, earliest, latest]
      const { rows } = await pool.query<Row>({ name: 'logging-find-twins', text: findText, values })
      const spans = rows.flatMap(otlpSpan)
      const duplicates = spans.length === 0 ? [] : pairDuplicates(rows.flatMap(gatewayRow), spans)
      if (duplicates.length === 0) return
      const columns = [
        duplicates.map(({ row }) => row.expiresOn),
        duplicates.map(({ row }) => row.id),
        duplicates.map(({ span }) => span.expiresOn),
        duplicates.map(({ span }) => span.id),
        duplicates.map(({ span }) => span.spanId),
        duplicates.map(({ span }) => span.parentSpanId),
      ]
      await pool.query({ name: 'logging-merge-twins', text: mergeText, values: columns })
    },
  }
}

const findText = `
  SELECT id, expires_on::text, request_id, source, trace_id, span_id, parent_span_id, created_at, latency_ms,
    prompt_tokens, completion_tokens
  FROM exchange
  WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND created_at BETWEEN $3 AND $4
    AND (source = 'otlp' OR source = 'gateway' AND span_id IS NULL)
  ORDER BY created_at DESC
  LIMIT ${maxRows}`

/** A row that somebody else merged is gone already, and then nothing is attached a second time. */
const mergeText = `
  WITH twin AS (
    SELECT * FROM unnest($1::date[], $2::uuid[], $3::date[], $4::uuid[], $5::text[], $6::text[])
      AS twin(day, id, otlp_day, otlp_id, span_id, parent_span_id)
  ), gone AS (
    DELETE FROM exchange e USING twin WHERE e.expires_on = twin.otlp_day AND e.id = twin.otlp_id RETURNING e.id
  ), gone_content AS (
    DELETE FROM exchange_content c USING twin WHERE c.expires_on = twin.otlp_day AND c.id = twin.otlp_id
  )
  UPDATE exchange e SET span_id = twin.span_id, parent_span_id = twin.parent_span_id
  FROM twin JOIN gone ON gone.id = twin.otlp_id
  WHERE e.expires_on = twin.day AND e.id = twin.id AND e.span_id IS NULL`

function gatewayRow(row: Row): readonly GatewayRow[] {
  if (row.source !== 'gateway') return []
  const { id, expires_on: expiresOn, request_id: requestId, trace_id: traceId, created_at: createdAt } = row
  const tokens = { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens }
  return [{ id, expiresOn, requestId, traceId, spanId: null, createdAt, ...tokens }]
}

function otlpSpan(row: Row): readonly OtlpSpanOfRow[] {
  if (row.source !== 'otlp' || row.span_id === null) return []
  const { id, expires_on: expiresOn, trace_id: traceId, span_id: spanId, parent_span_id: parentSpanId } = row
  const times = { startedAt: row.created_at, latencyMs: row.latency_ms }
  const tokens = { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens }
  return [{ id, expiresOn, traceId, spanId, parentSpanId, gatewayRequestId: null, ...times, ...tokens }]
}
