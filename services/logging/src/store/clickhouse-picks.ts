import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { ExchangePicks, SampleRequest } from '../picks/exchange-picks.ts'
import { maxRuns, type RunPicks } from '../picks/run-picks.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { conditionsOf, inScope, scopeParameters } from './clickhouse-conditions.ts'
import { keyColumns, type RowKey, rowsOf } from './clickhouse-reads.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from './clickhouse-row.ts'

interface DrawnRow extends RowKey {
  readonly prompt_hash: string
}

/** Exchanges that are drawn for a sample of prompts at most. */
const maxDrawn = 20_000

/** Picks exchanges in ClickHouse. */
export function createClickHousePicks(clickHouse: ClickHouse): ExchangePicks {
  return {
    async sample(request) {
      const { total, keys } = await draw(clickHouse, request, request.count)
      return { total, exchanges: await rowsOf(clickHouse, request, keys) }
    },
    async prompts(request) {
      const { total, keys } = await draw(clickHouse, request, maxDrawn)
      const firsts = new Map<string, RowKey>()
      for (const key of keys) if (!firsts.has(key.prompt_hash)) firsts.set(key.prompt_hash, key)
      const exchanges = await rowsOf(clickHouse, request, [...firsts.values()].slice(0, request.count))
      return { total, examined: keys.length, distinct: firsts.size, exchanges }
    },
    async fresh({ after, limit, alias, ...scope }) {
      const keys = await clickHouse.read<RowKey>(
        `SELECT ${keyColumns} FROM exchange
         WHERE ${inScope} AND id > {after:String} ${alias === undefined ? '' : 'AND alias = {alias:String}'}
         ORDER BY id LIMIT {limit:UInt32}`,
        { ...scopeParameters(scope), after, limit, ...(alias === undefined ? {} : { alias }) },
      )
      return rowsOf(clickHouse, scope, keys)
    },
    async present(scope, ids) {
      if (ids.length === 0) return []
      const text = `SELECT id FROM exchange WHERE ${inScope} AND id IN {ids:Array(String)}`
      const rows = await clickHouse.read<{ id: string }>(text, { ...scopeParameters(scope), ids })
      return rows.map(({ id }) => id)
    },
  }
}

async function draw(clickHouse: ClickHouse, request: SampleRequest, count: number) {
  const { text, parameters, isImpossible } = conditionsOf(request)
  if (isImpossible) return { total: 0, keys: [] }
  const rows = await clickHouse.read<DrawnRow & { readonly total: string }>(
    `SELECT ${keyColumns}, prompt_hash, count() OVER () AS total FROM exchange WHERE ${inScope} AND ${text}
     ORDER BY sipHash64(id, {seed:Int64}), id LIMIT {count:UInt32}`,
    { ...parameters, seed: request.seed, count },
  )
  return { total: Number(rows[0]?.total ?? 0), keys: rows }
}

interface RunRow {
  readonly trace: string
  readonly steps: string
  readonly last_ms: string
  readonly last_finish_reason: readonly [string | null]
}

/** Picks whole runs in ClickHouse. */
export function createClickHouseRunPicks(clickHouse: ClickHouse): RunPicks {
  return {
    async quiet({ seed, quietSince, filter: { excludedTags = [], ...filter }, ...request }) {
      const { text, parameters } = conditionsOf({ ...request, filter })
      const rows = await clickHouse.read<RunRow>(
        `SELECT trace, steps, last_ms, last_finish_reason FROM (
           SELECT assumeNotNull(trace_id) AS trace, count() AS steps, -min(newest_first) AS last_ms,
             argMax(tuple(finish_reason), tuple(-newest_first, id)) AS last_finish_reason,
             maxIf(-newest_first, ${text}) AS matched_ms, countIf(${text}) AS matches,
             countIf(isNotNull(tag) AND has({excluded:Array(String)}, assumeNotNull(tag))) AS excluded
           FROM exchange WHERE ${inScope} AND isNotNull(trace_id) GROUP BY trace
           HAVING matches > 0 AND excluded = 0 AND last_ms <= {quiet:Int64}
           ORDER BY matched_ms DESC, trace DESC LIMIT ${maxRuns}
         ) ORDER BY sipHash64(trace, {seed:Int64}), trace`,
        { ...parameters, excluded: excludedTags, quiet: quietSince.getTime(), seed },
      )
      return rows.map((row) => ({
        id: row.trace,
        steps: Number(row.steps),
        lastAt: new Date(Number(row.last_ms)),
        lastFinishReason: row.last_finish_reason[0],
      }))
    },
    async quietAfter({ quietSince, after, limit, ...scope }) {
      const rows = await clickHouse.read<Pick<RunRow, 'trace' | 'steps' | 'last_ms'>>(
        `SELECT assumeNotNull(trace_id) AS trace, count() AS steps, -min(newest_first) AS last_ms
         FROM exchange WHERE ${inScope} AND isNotNull(trace_id) GROUP BY trace
         HAVING last_ms <= {quiet:Int64} AND (last_ms, trace) > ({afterMs:Int64}, {afterId:String})
         ORDER BY last_ms, trace LIMIT {limit:UInt32}`,
        {
          ...scopeParameters(scope),
          quiet: quietSince.getTime(),
          afterMs: after.lastAt.getTime(),
          afterId: after.id,
          limit,
        },
      )
      return rows.map((row) => ({ id: row.trace, steps: Number(row.steps), lastAt: new Date(Number(row.last_ms)) }))
    },
    stepsOf: (scope, traceIds) => stepsOf(clickHouse, scope, traceIds),
  }
}

async function stepsOf(
  clickHouse: ClickHouse,
  scope: ReadScope,
  traceIds: readonly string[],
): Promise<readonly LoggedExchange[]> {
  if (traceIds.length === 0) return []
  const text = `
    SELECT ${exchangeColumns} FROM exchange WHERE ${inScope} AND trace_id IN {traces:Array(String)}
    ORDER BY trace_id, newest_first DESC, id`
  const rows = await clickHouse.read<ExchangeRow>(text, { ...scopeParameters(scope), traces: traceIds })
  return rows.map(exchangeOf)
}
