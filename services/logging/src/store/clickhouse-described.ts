import { hourMs } from '@ratchet/service-kit/timing/durations'
import { expiryDay } from '../exchanges/expiry-day.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import {
  clockSkewMs,
  type DuplicateSpan,
  type Duplicates,
  type GatewayExchange,
  pairDuplicates,
} from '../traces/otlp/pair-duplicates.ts'
import type { DescribedExchanges } from '../traces/otlp/trace-store.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { deleteExchanges } from './clickhouse-reads.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf, newestFirstOf } from './clickhouse-row.ts'
import { changedVersion } from './clickhouse-table.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

interface OtlpSpan extends DuplicateSpan {
  readonly exchange: LoggedExchange
}

/** Rows that are read as candidates at most. */
const maxRows = 1_000
/** A span may have begun so many milliseconds before the request that it describes. */
const maxSpanMs = hourMs

/** Finds exchanges that spans describe in ClickHouse. */
export function createClickHouseDescribed(
  clickHouse: ClickHouse,
  { exclusively }: Pick<StoreUpkeep, 'exclusively'>,
): DescribedExchanges {
  const attach: DescribedExchanges['attach'] = (workspaceId, duplicates) =>
    attachSpans(clickHouse, workspaceId, duplicates)
  return {
    async related(workspaceId, spans) {
      const starts = spans.map(({ startedAt }) => startedAt.getTime())
      const ends = spans.map(({ startedAt, latencyMs }) => startedAt.getTime() + latencyMs)
      const rows = await clickHouse.read<ExchangeRow>(relatedText, {
        workspace: workspaceId,
        traces: [...new Set(spans.map(({ traceId }) => traceId))],
        spans: spans.map(({ spanId }) => spanId),
        newest: -(Math.max(...ends) + clockSkewMs),
        oldest: -(Math.min(...starts) - clockSkewMs),
        requests: spans.flatMap(({ gatewayRequestId }) => gatewayRequestId ?? []),
      })
      return {
        known: new Set(rows.flatMap((row) => (row.span_id === null ? [] : [`${row.trace_id}${row.span_id}`]))),
        gatewayExchanges: rows
          .filter(({ source }) => source === 'gateway')
          .map((row) => gatewayExchange(exchangeOf(row))),
      }
    },
    attach: (workspaceId, duplicates) => exclusively(workspaceId, () => attach(workspaceId, duplicates)),
    merge: ({ workspaceId, traceIds, from, to }) =>
      exclusively(workspaceId, async () => {
        const rows = await clickHouse.read<ExchangeRow>(candidatesText, {
          workspace: workspaceId,
          traces: traceIds,
          newest: newestFirstOf(to) - maxSpanMs,
          oldest: newestFirstOf(from) + maxSpanMs,
        })
        const exchanges = rows.map(exchangeOf)
        const gateway = exchanges.filter(({ source }) => source === 'gateway')
        const spans = exchanges.flatMap(otlpSpan)
        // What a merge that was cut short has attached and not deleted.
        const attached = new Set(gateway.map(({ traceId, spanId }) => `${traceId}${spanId}`))
        const leftover = spans.filter(({ traceId, spanId }) => attached.has(`${traceId}${spanId}`))
        const duplicates = pairDuplicates(
          gateway.filter(({ spanId }) => spanId === null).map(gatewayExchange),
          spans.filter((span) => !leftover.includes(span)),
        )
        await attach(workspaceId, duplicates)
        const merged = [...leftover, ...duplicates.map(({ span }) => span)]
        if (merged.length > 0)
          await deleteExchanges(
            clickHouse,
            workspaceId,
            merged.map(({ exchange }) => exchange),
          )
      }),
  }
}

/** Stores a new version of each exchange without a span. */
async function attachSpans(
  clickHouse: ClickHouse,
  workspaceId: string,
  duplicates: readonly Duplicates[],
): Promise<void> {
  if (duplicates.length === 0) return
  await clickHouse.change(attachText, {
    workspace: workspaceId,
    times: duplicates.map(({ exchange }) => newestFirstOf(exchange.createdAt)),
    ids: duplicates.map(({ exchange }) => exchange.id),
    traces: duplicates.map(({ span }) => span.traceId),
    spans: duplicates.map(({ span }) => span.spanId),
    parents: duplicates.map(({ span }) => span.parentSpanId),
  })
}

const place = 'indexOf({ids:Array(String)}, e.id)'

const attachText = `
  INSERT INTO exchange
  SELECT e.* REPLACE (
    ifNull(e.trace_id, {traces:Array(String)}[${place}]) AS trace_id, {spans:Array(String)}[${place}] AS span_id,
    {parents:Array(Nullable(String))}[${place}] AS parent_span_id,
    greatest(e.version + 1, toUInt64(${changedVersion})) AS version
  )
  FROM (
    SELECT * FROM exchange FINAL WHERE workspace_id = {workspace:UUID} AND newest_first IN {times:Array(Int64)}
      AND id IN {ids:Array(String)} AND isNull(span_id)
  ) AS e`

/** Rows of the traces that have one of these spans or no span, and the rows of requests that the spans name. */
const relatedText = `
  SELECT ${exchangeColumns} FROM exchange
  WHERE workspace_id = {workspace:UUID} AND (
    trace_id IN {traces:Array(String)} AND (
      span_id IN {spans:Array(String)}
      OR isNull(span_id) AND source = 'gateway' AND newest_first BETWEEN {newest:Int64} AND {oldest:Int64}
    ) OR request_id IN {requests:Array(String)} AND source = 'gateway'
  ) LIMIT ${maxRows}`

const candidatesText = `
  SELECT ${exchangeColumns} FROM exchange
  WHERE workspace_id = {workspace:UUID} AND trace_id IN {traces:Array(String)} AND source IN ('gateway', 'otlp')
    AND newest_first BETWEEN {newest:Int64} AND {oldest:Int64}
  ORDER BY newest_first LIMIT ${maxRows}`

function gatewayExchange(exchange: LoggedExchange): GatewayExchange {
  return { ...exchange, expiresOn: expiryDay(exchange.expiresAt) }
}

function otlpSpan(exchange: LoggedExchange): readonly OtlpSpan[] {
  const { source, traceId, spanId, parentSpanId, createdAt: startedAt, latencyMs } = exchange
  if (source !== 'otlp' || traceId === null || spanId === null) return []
  const tokens = { promptTokens: exchange.promptTokens, completionTokens: exchange.completionTokens }
  return [{ exchange, traceId, spanId, parentSpanId, startedAt, latencyMs, gatewayRequestId: null, ...tokens }]
}
