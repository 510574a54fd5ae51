import type { Pool } from '@ratchet/db/connect-pool'
import type { SpanStore, StoredSpan } from './trace-store.ts'

/** Stores spans in Postgres. */
export function createPgSpans(pool: Pick<Pool, 'query'>): SpanStore {
  return {
    async settings(workspaceId) {
      const { rows } = await pool.query<{ retention_days: number }>({
        name: 'logging-trace-settings',
        text: 'SELECT retention_days FROM workspace_logging_settings WHERE workspace_id = $1 AND logging_enabled',
        values: [workspaceId],
      })
      return rows[0] === undefined ? null : { retentionDays: rows[0].retention_days }
    },
    async writeSpans(spans) {
      await pool.query(insertSpans(spans))
    },
  }
}

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
