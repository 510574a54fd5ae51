import type { Pool } from '@ratchet/db/connect-pool'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { type Bindings, createBindings } from '../exchanges/pg-exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import { createRunStatement, type RunStatement } from '../exchanges/pg-run-read.ts'
import { matchConditions } from '../logs/pg-search-keys.ts'
import type { TraceTraffic } from '../traces/trace-reads.ts'
import { maxRuns, type RunOrder, type RunPicks } from './run-picks.ts'

interface RunRow {
  readonly trace_id: string
  readonly steps: number
  readonly last_at: Date
  readonly last_finish_reason: string | null
}

/** Picks of whole runs in Postgres. Use the pool for reading. */
export function createPgRunPicks(pool: Pool, places?: FairPlaces): RunPicks {
  const runOf = createRunStatement(pool, places)
  return {
    async quiet({ seed, ...order }) {
      const run = runOf(order.workspaceId)
      const bindings = createBindings()
      const { bind, values } = bindings
      const text = `
        WITH newest AS MATERIALIZED (${await newestRuns(run, order, bindings)})
        SELECT e.trace_id, count(*)::int AS steps, max(e.created_at) AS last_at,
          (array_agg(e.finish_reason ORDER BY e.created_at DESC, e.id DESC))[1] AS last_finish_reason
        FROM exchange e
        WHERE e.workspace_id = ${bind(order.workspaceId)} AND e.expires_at > ${bind(order.at)}
          AND e.trace_id = ANY((SELECT array_agg(trace_id) FROM newest)::text[])
        GROUP BY e.trace_id ORDER BY hashtextextended(e.trace_id, ${bind(seed)}::bigint), e.trace_id`
      const rows = await run<RunRow>({ text, values })
      return rows.map((row) => ({
        id: row.trace_id,
        steps: row.steps,
        lastAt: row.last_at,
        lastFinishReason: row.last_finish_reason,
      }))
    },
    async quietAfter({ workspaceId, quietSince, after, limit }) {
      const text = `SELECT trace_id AS id, steps::float8 AS steps, last_at AS "lastAt" FROM trace_traffic
        WHERE workspace_id = $1 AND (last_at, trace_id) > ($2::timestamptz, $3::text) AND last_at <= $4
        ORDER BY last_at, trace_id LIMIT $5`
      const values = [workspaceId, after.lastAt, after.id, quietSince, limit]
      return runOf(workspaceId)<TraceTraffic>({ text, values, isPrepared: true })
    },
    async stepsOf({ workspaceId, at }, traceIds) {
      const text = `
        SELECT ${exchangeColumns} FROM exchange e
        WHERE e.workspace_id = $1 AND e.expires_at > $2 AND e.trace_id = ANY($3::text[])
        ORDER BY e.trace_id, e.created_at, e.id`
      const rows = await runOf(workspaceId)<ExchangeRow>({ text, values: [workspaceId, at, traceIds] })
      return rows.map(exchangeOf)
    },
  }
}

/**
 * Ids of traces by their newest matching step. Without a filter they are read from the counter table, which triggers
 * maintain.
 */
async function newestRuns(
  run: RunStatement,
  { workspaceId, at, filter: { excludedTags, ...filter }, quietSince }: Omit<RunOrder, 'seed'>,
  bindings: Bindings,
): Promise<string> {
  const { bind } = bindings
  const conditions = [`t.workspace_id = ${bind(workspaceId)}`, `t.last_at <= ${bind(quietSince)}`]
  if (excludedTags !== undefined) {
    conditions.push(`NOT EXISTS (
      SELECT 1 FROM exchange x WHERE x.workspace_id = ${bind(workspaceId)} AND x.trace_id = t.trace_id
        AND x.expires_at > ${bind(at)} AND x.tag = ANY(${bind(excludedTags)}::text[]))`)
  }
  const isQuiet = conditions.join(' AND ')
  if (Object.values(filter).every((value) => value === undefined)) {
    return `SELECT t.trace_id FROM trace_traffic t WHERE ${isQuiet}
      ORDER BY t.last_at DESC, t.trace_id DESC LIMIT ${bind(maxRuns)}`
  }
  return `
    SELECT t.trace_id FROM (
      SELECT e.trace_id, max(e.created_at) AS matched_at FROM exchange e
      WHERE ${await matchConditions(run, { workspaceId, at, filter, isStep: true }, bindings)} GROUP BY e.trace_id
    ) matching JOIN trace_traffic t ON t.trace_id = matching.trace_id AND ${isQuiet}
    ORDER BY matching.matched_at DESC, t.trace_id DESC LIMIT ${bind(maxRuns)}`
}
