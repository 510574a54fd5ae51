import type { Pool } from '@ratchet/db/connect-pool'
import type { ReadScope } from '../domain/exchange-reads.ts'
import type { ReadSpan, Step, TraceReads, TraceSummary } from '../domain/trace-reads.ts'
import { behind as behindPlace, conditionsOf, createBindings } from './exchange-conditions.ts'
import { type ExchangeRow, exchangeOf } from './exchange-row.ts'
import { createRunStatement, type RunStatement } from './run-read.ts'

interface SummaryRow {
  readonly trace_id: string
  readonly first_at: Date
  readonly last_at: Date
  readonly steps: number
  readonly models: readonly string[]
  readonly tags: readonly string[] | null
  readonly total_tokens: string
  readonly cost_nano: string
  readonly last_finish_reason: string | null
  readonly expires_at: Date
}

interface SpanRow {
  readonly span_id: string
  readonly parent_span_id: string | null
  readonly name: string
  readonly kind: string
  readonly started_at: Date
  readonly ended_at: Date
  readonly status: string
  readonly attributes: string
}

/** Reads of traces in Postgres. */
export function createPgTraceReads(pool: Pool): TraceReads {
  const run = createRunStatement(pool)
  return {
    async steps({ behind, limit, ...walk }) {
      const bindings = createBindings()
      const from = `${conditionsOf(walk, bindings)} ${behind === null ? '' : `AND ${behindPlace(behind, bindings)}`}`
      const text = `
        SELECT e.trace_id AS "traceId", e.created_at AS "createdAt", e.id FROM exchange e
        WHERE ${from} AND e.trace_id IS NOT NULL
        ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(limit)}`
      return run<Step>({ text, values: bindings.values })
    },
    async withStepBefore({ behind, traceIds, ...walk }) {
      if (behind === null) return []
      const bindings = createBindings()
      const text = `
        SELECT DISTINCT e.trace_id FROM exchange e
        WHERE ${conditionsOf(walk, bindings)} AND NOT ${behindPlace(behind, bindings)}
          AND e.trace_id = ANY(${bindings.bind(traceIds)})`
      return (await run<{ trace_id: string }>({ text, values: bindings.values })).map(({ trace_id }) => trace_id)
    },
    summaries: (scope, traceIds) => summaries(run, scope, traceIds),
    async exchangesOf({ workspaceId, at }, traceId, limit) {
      const text = `
        SELECT * FROM exchange WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = $3
        ORDER BY created_at, id LIMIT $4`
      return (await run<ExchangeRow>({ text, values: [workspaceId, at, traceId, limit] })).map(exchangeOf)
    },
    async *spansOf({ workspaceId, at }, traceId, limit) {
      const text = `
        SELECT span_id, octet_length(attributes) AS bytes FROM span
        WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = $3
        ORDER BY started_at, span_id LIMIT $4`
      const sizes = await run<SpanSize>({ text, values: [workspaceId, at, traceId, limit] })
      for (const ids of batchesOf(sizes)) {
        const read = `
          SELECT * FROM span WHERE workspace_id = $1 AND trace_id = $2 AND span_id = ANY($3)
          ORDER BY started_at, span_id`
        yield (await run<SpanRow>({ text: read, values: [workspaceId, traceId, ids] })).map(spanOf)
      }
    },
  }
}

interface SpanSize {
  readonly span_id: string
  readonly bytes: number
}

/** Bytes of attributes that are read at a time. */
const batchBytes = 1_048_576

/** The ids in order, cut where a batch would become too large. */
function* batchesOf(sizes: readonly SpanSize[]): Generator<readonly string[]> {
  let batch: string[] = []
  let bytes = 0
  for (const size of sizes) {
    if (batch.length > 0 && bytes + size.bytes > batchBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(size.span_id)
    bytes += size.bytes
  }
  if (batch.length > 0) yield batch
}

async function summaries(
  run: RunStatement,
  { workspaceId, at }: ReadScope,
  traceIds: readonly string[],
): Promise<readonly TraceSummary[]> {
  const values = [workspaceId, at, traceIds]
  const [rows, errors] = await Promise.all([
    run<SummaryRow>({ text: summaryStatement, values, isPrepared: true }),
    run<{ trace_id: string; errors: number }>({ text: errorStatement, values, isPrepared: true }),
  ])
  const errorsOf = new Map(errors.map(({ trace_id, errors: count }) => [trace_id, count]))
  return rows.map((row) => summaryOf(row, errorsOf.get(row.trace_id) ?? 0))
}

const summaryStatement = `
  SELECT trace_id, min(created_at) AS first_at, max(created_at) AS last_at, count(*)::int AS steps,
    array_agg(DISTINCT served_model) AS models, array_agg(DISTINCT tag) FILTER (WHERE tag IS NOT NULL) AS tags,
    sum(prompt_tokens::bigint + completion_tokens) AS total_tokens, coalesce(sum(cost_nano), 0) AS cost_nano,
    (array_agg(finish_reason ORDER BY created_at DESC, id DESC))[1] AS last_finish_reason,
    min(expires_at) AS expires_at
  FROM exchange WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = ANY($3)
  GROUP BY trace_id`

const errorStatement = `
  SELECT trace_id, count(*)::int AS errors FROM span
  WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = ANY($3) AND status = 'error'
  GROUP BY trace_id`

function summaryOf(row: SummaryRow, errorCount: number): TraceSummary {
  return {
    id: row.trace_id,
    firstAt: row.first_at,
    lastAt: row.last_at,
    steps: row.steps,
    models: row.models,
    tags: row.tags ?? [],
    totalTokens: Number(row.total_tokens),
    costNano: BigInt(row.cost_nano),
    errorCount,
    lastFinishReason: row.last_finish_reason,
    expiresAt: row.expires_at,
  }
}

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
