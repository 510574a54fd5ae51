import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { conditionsOf, createBindings, type Requested } from '../exchanges/pg-exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import { createRunStatement, type RunStatement } from '../exchanges/pg-run-read.ts'
import { searchExchanges } from '../logs/pg-search-exchanges.ts'
import type { NewestTraces, Step, StepSummary, TraceSteps, TraceTraffic } from './trace-reads.ts'

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

/** Reads the steps of traces in Postgres. */
export function createPgTraceSteps(pool: Pool, places?: FairPlaces): TraceSteps {
  const runOf = createRunStatement(pool, places)
  return {
    steps: ({ behind, limit, ...walk }) => stepsOf(runOf(walk.workspaceId), { ...walk, after: behind }, limit),
    async withStepBefore({ behind, traceIds, ...walk }) {
      if (behind === null) return []
      const bindings = createBindings()
      const { bind } = bindings
      const text = `
        SELECT t.trace_id FROM unnest(${bind(traceIds)}::text[]) AS t(trace_id) CROSS JOIN LATERAL (
          SELECT 1 FROM exchange e WHERE ${conditionsOf({ ...walk, after: null }, bindings)} AND e.trace_id = t.trace_id
            AND (e.created_at, e.id) >= (${bind(behind.createdAt)}::timestamptz, ${bind(behind.id)}::uuid)
          LIMIT 1
        ) before`
      const rows = await runOf(walk.workspaceId)<{ trace_id: string }>({
        text,
        values: bindings.values,
        isPrepared: true,
      })
      return rows.map(({ trace_id }) => trace_id)
    },
    newest: (request) => newestTraces(runOf(request.workspaceId), request),
    async traffic({ workspaceId }, traceIds) {
      const text = `${trafficText} WHERE workspace_id = $1 AND trace_id = ANY($2::text[])`
      return runOf(workspaceId)<TraceTraffic>({ text, values: [workspaceId, traceIds], isPrepared: true })
    },
    async stepSummaries({ workspaceId, at }, traceIds) {
      const values = [workspaceId, at, traceIds]
      const rows = await runOf(workspaceId)<SummaryRow>({ text: summaryStatement, values, isPrepared: true })
      return rows.map(summaryOf)
    },
    async exchangesOf({ workspaceId, at }, traceId, { behind, limit }) {
      const text = `
        SELECT ${exchangeColumns} FROM exchange e WHERE e.workspace_id = $1 AND e.expires_at > $2 AND e.trace_id = $3
          AND (e.created_at, e.id) > ($4::timestamptz, $5::uuid)
        ORDER BY e.created_at, e.id LIMIT $6`
      const values = [workspaceId, at, traceId, behind?.createdAt ?? '-infinity', behind?.id ?? noId, limit]
      const rows = await runOf(workspaceId)<ExchangeRow>({ text, values, isPrepared: true })
      return rows.map(exchangeOf)
    },
    async lastOf({ workspaceId, at }, traceId) {
      const text = `
        SELECT ${exchangeColumns} FROM exchange e WHERE e.workspace_id = $1 AND e.expires_at > $2 AND e.trace_id = $3
        ORDER BY e.created_at DESC, e.id DESC LIMIT 1`
      const [row] = await runOf(workspaceId)<ExchangeRow>({ text, values: [workspaceId, at, traceId] })
      return row === undefined ? null : exchangeOf(row)
    },
  }
}

const noId = '00000000-0000-0000-0000-000000000000'

const trafficText = 'SELECT trace_id AS id, steps::float8 AS steps, last_at AS "lastAt" FROM trace_traffic'

async function newestTraces(run: RunStatement, request: NewestTraces): Promise<readonly TraceTraffic[]> {
  const { workspaceId, minSteps, after, limit } = request
  const text = `
    ${trafficText} WHERE workspace_id = $1 AND steps >= $2 AND (last_at, trace_id) < ($3::timestamptz, $4::text)
    ORDER BY last_at DESC, trace_id DESC LIMIT $5`
  const values = [workspaceId, minSteps, after?.lastAt ?? 'infinity', after?.id ?? '', limit]
  return run<TraceTraffic>({ text, values, isPrepared: true })
}

/** Steps that match, the newest first. */
async function stepsOf(run: RunStatement, requested: Requested, limit: number): Promise<readonly Step[]> {
  const found = await searchExchanges(run, { ...requested, isStep: true, from: 0, to: limit, maxMatches: limit })
  return found.requested.flatMap(({ traceId, createdAt, id }) => (traceId === null ? [] : [{ traceId, createdAt, id }]))
}

const summaryStatement = `
  SELECT t.trace_id, steps.* FROM unnest($3::text[]) AS t(trace_id) CROSS JOIN LATERAL (
    SELECT min(e.created_at) AS first_at, max(e.created_at) AS last_at, count(*)::int AS steps,
      array_agg(DISTINCT e.served_model) AS models, array_agg(DISTINCT e.tag) FILTER (WHERE e.tag IS NOT NULL) AS tags,
      sum(e.prompt_tokens::bigint + e.completion_tokens) AS total_tokens, coalesce(sum(e.cost_nano), 0) AS cost_nano,
      (array_agg(e.finish_reason ORDER BY e.created_at DESC, e.id DESC))[1] AS last_finish_reason,
      min(e.expires_at) AS expires_at
    FROM exchange e WHERE e.workspace_id = $1 AND e.expires_at > $2 AND e.trace_id = t.trace_id
  ) steps WHERE steps.steps > 0`

function summaryOf(row: SummaryRow): StepSummary {
  return {
    id: row.trace_id,
    firstAt: row.first_at,
    lastAt: row.last_at,
    steps: row.steps,
    models: row.models,
    tags: row.tags ?? [],
    totalTokens: Number(row.total_tokens),
    costNano: BigInt(row.cost_nano),
    lastFinishReason: row.last_finish_reason,
    expiresAt: row.expires_at,
  }
}
