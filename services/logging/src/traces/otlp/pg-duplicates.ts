import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { type DeletedRow, membersOf, removeFromBlocks } from '../../exchanges/pg-exchange-blocks.ts'
import { type DuplicateSpan, type GatewayExchange, pairDuplicates } from './pair-duplicates.ts'
import type { DescribedExchanges } from './trace-store.ts'

interface ExchangeRow
  extends Pick<
    Row<'exchange', { trace_id: string }>,
    | 'id'
    | 'request_id'
    | 'source'
    | 'trace_id'
    | 'span_id'
    | 'parent_span_id'
    | 'created_at'
    | 'latency_ms'
    | 'prompt_tokens'
    | 'completion_tokens'
  > {
  readonly expires_on: string
}

interface OtlpSpanOfRow extends DuplicateSpan {
  readonly id: string
  readonly expiresOn: string
}

/** Maximum number of rows that are read. */
const maxRows = 1_000
/** A span may have begun so many milliseconds before the request that it describes. */
const maxSpanMs = hourMs

/** Finds and merges duplicates in the log in Postgres. */
export function createPgDuplicates(pool: Pool): Pick<DescribedExchanges, 'merge'> {
  return {
    async merge({ workspaceId, traceIds, from, to }) {
      const earliest = new Date(from.getTime() - maxSpanMs)
      const latest = new Date(to.getTime() + maxSpanMs)
      const values = [workspaceId, traceIds, earliest, latest]
      const { rows } = await pool.query<ExchangeRow>({ name: 'logging-find-duplicates', text: findText, values })
      const spans = rows.flatMap(otlpSpan)
      const duplicates = spans.length === 0 ? [] : pairDuplicates(rows.flatMap(gatewayExchange), spans)
      if (duplicates.length === 0) return
      const columns = [
        duplicates.map(({ exchange }) => exchange.expiresOn),
        duplicates.map(({ exchange }) => exchange.id),
        duplicates.map(({ span }) => span.expiresOn),
        duplicates.map(({ span }) => span.id),
        duplicates.map(({ span }) => span.spanId),
        duplicates.map(({ span }) => span.parentSpanId),
      ]
      await inTransaction(pool, async (client) => {
        const statement = { name: 'logging-merge-duplicates', text: mergeText, values: columns }
        await removeFromBlocks(client, membersOf((await client.query<DeletedRow>(statement)).rows))
      })
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

/** A row that another process merged does not exist any more, so nothing is attached twice. */
const mergeText = `
  WITH pair AS (
    SELECT * FROM unnest($1::date[], $2::uuid[], $3::date[], $4::uuid[], $5::text[], $6::text[])
      AS pair(day, id, otlp_day, otlp_id, span_id, parent_span_id)
  ), deleted AS (
    DELETE FROM exchange e USING pair WHERE e.expires_on = pair.otlp_day AND e.id = pair.otlp_id
    RETURNING e.id, e.expires_on, e.block_id
  ), deleted_content AS (
    DELETE FROM exchange_content c USING pair WHERE c.expires_on = pair.otlp_day AND c.id = pair.otlp_id
  ), merged AS (
    UPDATE exchange e SET span_id = pair.span_id, parent_span_id = pair.parent_span_id
    FROM pair JOIN deleted ON deleted.id = pair.otlp_id
    WHERE e.expires_on = pair.day AND e.id = pair.id AND e.span_id IS NULL
  )
  SELECT id, expires_on::text AS day, block_id FROM deleted`

function gatewayExchange(row: ExchangeRow): readonly GatewayExchange[] {
  if (row.source !== 'gateway') return []
  const { id, expires_on: expiresOn, request_id: requestId, trace_id: traceId, created_at: createdAt } = row
  const tokens = { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens }
  return [{ id, expiresOn, requestId, traceId, spanId: null, createdAt, ...tokens }]
}

function otlpSpan(row: ExchangeRow): readonly OtlpSpanOfRow[] {
  if (row.source !== 'otlp' || row.span_id === null) return []
  const { id, expires_on: expiresOn, trace_id: traceId, span_id: spanId, parent_span_id: parentSpanId } = row
  const times = { startedAt: row.created_at, latencyMs: row.latency_ms }
  const tokens = { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens }
  return [{ id, expiresOn, traceId, spanId, parentSpanId, gatewayRequestId: null, ...times, ...tokens }]
}
