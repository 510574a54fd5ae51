import type { StepSummary, TraceSteps, TraceTraffic } from '../traces/trace-reads.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { conditionsOf, inScope, scopeParameters } from './clickhouse-conditions.ts'
import { createdAtOf, type ExchangeRow, exchangeColumns, exchangeOf, newestFirstOf } from './clickhouse-row.ts'

interface TrafficRow {
  readonly trace: string
  readonly steps: string
  readonly last_ms: string
}

interface SummaryRow extends TrafficRow {
  readonly first_ms: string
  readonly models: readonly string[]
  readonly tags: readonly string[]
  readonly total_tokens: string
  readonly total_cost: string
  readonly last_finish_reason: readonly [string | null]
  readonly first_expiry_ms: string
}

interface StepRow extends Pick<ExchangeRow, 'id' | 'newest_first'> {
  readonly trace_id: string
}

/** Reads the steps of traces in ClickHouse, which counts them anew for each request. */
export function createClickHouseTraceSteps(clickHouse: ClickHouse): TraceSteps {
  return {
    async steps({ behind, limit, ...walk }) {
      const { text, parameters, isImpossible } = conditionsOf({ ...walk, after: behind })
      if (isImpossible) return []
      const rows = await clickHouse.read<StepRow>(
        `SELECT trace_id, newest_first, id FROM exchange WHERE ${inScope} AND ${text} AND isNotNull(trace_id)
         ORDER BY newest_first, id DESC LIMIT {limit:UInt32}`,
        { ...parameters, limit },
      )
      return rows.map((row) => ({ traceId: row.trace_id, createdAt: createdAtOf(row), id: row.id }))
    },
    async withStepBefore({ behind, traceIds, ...walk }) {
      const { text, parameters, isImpossible } = conditionsOf(walk)
      if (behind === null || isImpossible) return []
      const rows = await clickHouse.read<{ trace_id: string }>(
        `SELECT DISTINCT trace_id FROM exchange
         WHERE ${inScope} AND ${text} AND trace_id IN {traces:Array(String)} AND newest_first <= {behindMs:Int64}
           AND (newest_first < {behindMs:Int64} OR id >= {behindId:String})`,
        { ...parameters, traces: traceIds, behindMs: newestFirstOf(behind.createdAt), behindId: behind.id },
      )
      return rows.map((row) => row.trace_id)
    },
    async newest({ minSteps, after, limit, ...scope }) {
      const behind = after === null ? '' : 'AND (last_ms, trace) < ({afterMs:Int64}, {afterId:String})'
      const rows = await clickHouse.read<TrafficRow>(
        `${trafficText} AND isNotNull(trace_id) GROUP BY trace HAVING steps >= {min:UInt32} ${behind}
         ORDER BY last_ms DESC, trace DESC LIMIT {limit:UInt32}`,
        {
          ...scopeParameters(scope),
          min: minSteps,
          limit,
          ...(after === null ? {} : { afterMs: after.lastAt.getTime(), afterId: after.id }),
        },
      )
      return rows.map(trafficOf)
    },
    async traffic(scope, traceIds) {
      const text = `${trafficText} AND trace_id IN {traces:Array(String)} GROUP BY trace`
      const rows = await clickHouse.read<TrafficRow>(text, { ...scopeParameters(scope), traces: traceIds })
      return rows.map(trafficOf)
    },
    async stepSummaries(scope, traceIds) {
      const rows = await clickHouse.read<SummaryRow>(summaryText, { ...scopeParameters(scope), traces: traceIds })
      return rows.map(summaryOf)
    },
    async exchangesOf(scope, traceId, { behind, limit }) {
      const isBehind =
        behind === null
          ? ''
          : `AND newest_first <= {behindMs:Int64} AND (newest_first < {behindMs:Int64} OR id > {behindId:String})`
      const rows = await clickHouse.read<ExchangeRow>(
        `SELECT ${exchangeColumns} FROM exchange WHERE ${inScope} AND trace_id = {trace:String} ${isBehind}
         ORDER BY newest_first DESC, id LIMIT {limit:UInt32}`,
        {
          ...scopeParameters(scope),
          trace: traceId,
          limit,
          ...(behind === null ? {} : { behindMs: newestFirstOf(behind.createdAt), behindId: behind.id }),
        },
      )
      return rows.map(exchangeOf)
    },
    async lastOf(scope, traceId) {
      const [row] = await clickHouse.read<ExchangeRow>(
        `SELECT ${exchangeColumns} FROM exchange WHERE ${inScope} AND trace_id = {trace:String}
         ORDER BY newest_first, id DESC LIMIT 1`,
        { ...scopeParameters(scope), trace: traceId },
      )
      return row === undefined ? null : exchangeOf(row)
    },
  }
}

const trafficText = `
  SELECT assumeNotNull(trace_id) AS trace, count() AS steps, -min(newest_first) AS last_ms
  FROM exchange WHERE ${inScope}`

const summaryText = `
  SELECT assumeNotNull(trace_id) AS trace, count() AS steps, -max(newest_first) AS first_ms, -min(newest_first) AS last_ms,
    arraySort(groupUniqArray(served_model)) AS models, arraySort(groupUniqArrayIf(assumeNotNull(tag), isNotNull(tag))) AS tags,
    sum(toInt64(prompt_tokens) + completion_tokens) AS total_tokens, sum(ifNull(cost_nano, 0)) AS total_cost,
    argMax(tuple(finish_reason), tuple(-newest_first, id)) AS last_finish_reason, min(expires_ms) AS first_expiry_ms
  FROM exchange WHERE ${inScope} AND trace_id IN {traces:Array(String)} GROUP BY trace`

function trafficOf(row: TrafficRow): TraceTraffic {
  return { id: row.trace, steps: Number(row.steps), lastAt: new Date(Number(row.last_ms)) }
}

function summaryOf(row: SummaryRow): StepSummary {
  return {
    id: row.trace,
    firstAt: new Date(Number(row.first_ms)),
    lastAt: new Date(Number(row.last_ms)),
    steps: Number(row.steps),
    models: row.models,
    tags: row.tags,
    totalTokens: Number(row.total_tokens),
    costNano: BigInt(row.total_cost),
    lastFinishReason: row.last_finish_reason[0],
    expiresAt: new Date(Number(row.first_expiry_ms)),
  }
}
