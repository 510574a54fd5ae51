import { type ExchangeReads, isListed, type PageRequest, type ReadScope } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent, LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { ClickHouse } from './clickhouse-client.ts'
import { conditionsOf, inScope, scopeParameters } from './clickhouse-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf, newestFirstOf } from './clickhouse-row.ts'

interface ContentRow extends Omit<ExchangeContent, 'responseFormat'> {
  readonly id: string
  readonly response_format: string | null
}

/** The columns that find a row again. */
export type RowKey = Pick<ExchangeRow, 'id' | 'newest_first' | 'request_id'>
export const keyColumns = 'id, newest_first, request_id'

/** Reads and deletes exchanges in ClickHouse. */
export function createClickHouseReads(clickHouse: ClickHouse): ExchangeReads {
  return {
    page: (request) => pageOf(clickHouse, request),
    async list({ maxTotal, ...request }) {
      const [rows, total] = await Promise.all([
        pageOf(clickHouse, request),
        countOf(clickHouse, { ...request, after: null }, maxTotal),
      ])
      return { rows, total }
    },
    get: (scope, id) => getExchange(clickHouse, scope, id),
    async ofRequest(scope, request) {
      const text = `SELECT ${exchangeColumns} FROM exchange WHERE ${inScope} AND request_id = {request:String} LIMIT 1`
      const [row] = await clickHouse.read<ExchangeRow>(text, { ...scopeParameters(scope), request })
      return row === undefined ? null : exchangeOf(row)
    },
    async contents({ workspaceId }, keys) {
      if (keys.length === 0) return new Map()
      const text = `
        SELECT id, messages, response, tools, response_format, params FROM exchange
        WHERE workspace_id = {workspace:UUID} AND newest_first IN {times:Array(Int64)} AND id IN {ids:Array(String)}`
      const rows = await clickHouse.read<ContentRow>(text, {
        workspace: workspaceId,
        times: [...new Set(keys.map(({ createdAt }) => newestFirstOf(createdAt)))],
        ids: keys.map(({ id }) => id),
      })
      return new Map(rows.map(({ id, response_format: responseFormat, ...rest }) => [id, { ...rest, responseFormat }]))
    },
    async delete(scope, id) {
      const found = await getExchange(clickHouse, scope, id)
      if (found === null) return false
      await deleteExchanges(clickHouse, scope.workspaceId, [found])
      return true
    },
    async stepIndexes(scope, exchanges) {
      const traces = [...new Set(exchanges.flatMap(({ traceId }) => traceId ?? []))]
      if (traces.length === 0) return new Map()
      const text = `
        SELECT id, step FROM (
          SELECT id, row_number() OVER (PARTITION BY trace_id ORDER BY newest_first DESC, id) - 1 AS step
          FROM exchange WHERE ${inScope} AND trace_id IN {traces:Array(String)}
        ) WHERE id IN {ids:Array(String)}`
      const ids = exchanges.map(({ id }) => id)
      const rows = await clickHouse.read<{ id: string; step: string }>(text, { ...scopeParameters(scope), traces, ids })
      return new Map(rows.map(({ id, step }) => [id, Number(step)]))
    },
  }
}

/** Every version of these exchanges is invisible at once; the next sweep removes their bytes. */
export async function deleteExchanges(
  clickHouse: ClickHouse,
  workspaceId: string,
  exchanges: readonly Pick<LoggedExchange, 'createdAt' | 'requestId'>[],
): Promise<void> {
  await clickHouse.change(
    `DELETE FROM exchange WHERE workspace_id = {workspace:UUID} AND newest_first IN {times:Array(Int64)}
     AND request_id IN {requests:Array(String)}`,
    {
      workspace: workspaceId,
      times: exchanges.map(({ createdAt }) => newestFirstOf(createdAt)),
      requests: exchanges.map(({ requestId }) => requestId),
    },
  )
}

async function getExchange(clickHouse: ClickHouse, scope: ReadScope, id: string): Promise<LoggedExchange | null> {
  const text = `SELECT ${exchangeColumns} FROM exchange WHERE ${inScope} AND id = {id:String} LIMIT 1`
  const [row] = await clickHouse.read<ExchangeRow>(text, { ...scopeParameters(scope), id })
  return row === undefined ? null : exchangeOf(row)
}

/** Filters read their own columns only; the others are read for the rows of the page. */
async function pageOf(clickHouse: ClickHouse, request: PageRequest): Promise<readonly LoggedExchange[]> {
  const { text, parameters, isImpossible } = conditionsOf(request)
  if (isImpossible) return []
  const keys = await clickHouse.read<RowKey>(
    `SELECT ${keyColumns} FROM exchange WHERE ${inScope} AND ${text}
     ORDER BY newest_first, id DESC LIMIT {limit:UInt32} OFFSET {offset:UInt32}`,
    { ...parameters, limit: request.limit, offset: request.offset },
  )
  return rowsOf(clickHouse, request, keys)
}

/** The exchanges of these keys, in the order of the keys; those that were deleted meanwhile are missing. */
export async function rowsOf(
  clickHouse: ClickHouse,
  scope: ReadScope,
  keys: readonly RowKey[],
): Promise<readonly LoggedExchange[]> {
  if (keys.length === 0) return []
  const rows = await clickHouse.read<ExchangeRow>(
    `SELECT ${exchangeColumns} FROM exchange
     WHERE ${inScope} AND newest_first IN {times:Array(Int64)} AND id IN {ids:Array(String)}`,
    {
      ...scopeParameters(scope),
      times: [...new Set(keys.map((key) => Number(key.newest_first)))],
      ids: keys.map(({ id }) => id),
    },
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return keys.flatMap(({ id }) => {
    const row = byId.get(id)
    return row === undefined ? [] : [exchangeOf(row)]
  })
}

async function countOf(clickHouse: ClickHouse, request: PageRequest, maxTotal: number): Promise<number> {
  const { text, parameters, isImpossible } = conditionsOf(request)
  if (isImpossible) return 0
  const order = isListed(request.filter) ? '' : 'ORDER BY newest_first'
  const [row] = await clickHouse.read<{ total: string }>(
    `SELECT count() AS total FROM (SELECT 1 FROM exchange WHERE ${inScope} AND ${text} ${order} LIMIT {max:UInt32})`,
    { ...parameters, max: maxTotal },
  )
  return Number(row?.total ?? 0)
}
