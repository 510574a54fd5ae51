import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import { createRunStatement } from '../exchanges/pg-run-read.ts'
import type { ReadSpan, SpanReads } from './trace-reads.ts'

interface SpanRow
  extends Pick<Row<'span'>, 'span_id' | 'parent_span_id' | 'name' | 'kind' | 'started_at' | 'ended_at' | 'status'> {
  readonly attributes: string | null
}

const columns = 'span_id, parent_span_id, name, kind, started_at, ended_at, status'

/** Reads spans in Postgres. */
export function createPgSpanReads(pool: Pool, places?: FairPlaces): SpanReads {
  const runOf = createRunStatement(pool, places)
  return {
    async errorCounts({ workspaceId, at }, traceIds) {
      const statement = { text: errorStatement, values: [workspaceId, at, traceIds], isPrepared: true }
      const rows = await runOf(workspaceId)<{ trace_id: string; errors: number }>(statement)
      return new Map(rows.map(({ trace_id, errors }) => [trace_id, errors]))
    },
    async *spansOf({ workspaceId, at }, { traceId, limit, hasAttributes }) {
      const text = `
        SELECT span_id, ${hasAttributes ? 'octet_length(attributes)' : '0'} AS bytes FROM span
        WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = $3
        ORDER BY started_at, span_id LIMIT $4`
      const sizes = await runOf(workspaceId)<SpanSize>({ text, values: [workspaceId, at, traceId, limit] })
      for (const batch of batchesBySize(sizes, spanBatch)) {
        const ids = batch.map(({ span_id }) => span_id)
        const read = `
          SELECT ${columns}, ${hasAttributes ? 'attributes' : 'NULL AS attributes'}
          FROM span WHERE workspace_id = $1 AND trace_id = $2 AND span_id = ANY($3)
          ORDER BY started_at, span_id`
        const rows = await runOf(workspaceId)<SpanRow>({ text: read, values: [workspaceId, traceId, ids] })
        yield rows.map(spanOf)
      }
    },
    async span({ workspaceId, at }, { traceId, spanId }) {
      const text = `
        SELECT ${columns}, attributes FROM span
        WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = $3 AND span_id = $4`
      const [row] = await runOf(workspaceId)<SpanRow>({ text, values: [workspaceId, at, traceId, spanId] })
      return row === undefined ? null : spanOf(row)
    },
  }
}

const errorStatement = `
  SELECT trace_id, count(*)::int AS errors FROM span
  WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = ANY($3) AND status = 'error'
  GROUP BY trace_id`

interface SpanSize {
  readonly span_id: string
  readonly bytes: number
}

/** Limits of the spans that are read at a time. The requests of others have their turn between two batches. */
const spanBatch = { bytesOf: ({ bytes }: SpanSize) => bytes, maxBytes: mebibyte, maxItems: 100 }

function spanOf(row: SpanRow): ReadSpan {
  return {
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    name: row.name,
    kind: row.kind,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    status: row.status,
    attributes: row.attributes,
  }
}
