import type { Pool } from '@ratchet/db/connect-pool'
import type { ExchangeFilter, ExchangeReads, ListRequest, PageRequest } from '../domain/exchange-reads.ts'
import type { ExchangeContent } from '../domain/logged-exchange.ts'
import { countWithout, onlyFalseFlag } from './count-without.ts'
import { conditionsOf, createBindings, isListed } from './exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from './exchange-row.ts'
import { createRunStatement, type ReadStatement, type RunStatement } from './run-read.ts'
import { searchExchanges } from './search-exchanges.ts'
import { stepIndexes } from './step-indexes.ts'
import type { FoundExchange } from './walk-exchanges.ts'

interface ContentRow {
  readonly id: string
  readonly messages: string
  readonly response: string
  readonly tools: string | null
  readonly response_format: string | null
  readonly params: string
}

/** Reads of the log in Postgres, on a pool of their own: they may take long, and nothing else waits for them. */
export function createPgExchangeReads(pool: Pool): ExchangeReads {
  const run = createRunStatement(pool)
  return {
    page: async (request) => (await pageOf(run, request)).map(exchangeOf),
    async list(request) {
      const { rows, total } = await listOf(run, request)
      return { rows: rows.map(exchangeOf), total }
    },
    async get({ workspaceId, at }, id) {
      const text = `SELECT ${exchangeColumns} FROM exchange e WHERE e.id = $1 AND e.workspace_id = $2 AND e.expires_at > $3`
      const [row] = await run<ExchangeRow>({ text, values: [id, workspaceId, at], isPrepared: true })
      return row === undefined ? null : exchangeOf(row)
    },
    async contents(keys) {
      const days = keys.map(({ expiresAt }) => expiresAt.toISOString().slice(0, 10))
      const text = `
        SELECT c.* FROM unnest($1::date[], $2::uuid[]) AS k(day, id)
        JOIN exchange_content c ON c.expires_on = k.day AND c.id = k.id`
      const rows = await run<ContentRow>({ text, values: [days, keys.map(({ id }) => id)], isPrepared: true })
      return new Map(rows.map((row) => [row.id, contentOf(row)]))
    },
    async delete(scope, id) {
      return (await run({ text: deleteStatement, values: [id, scope.workspaceId, scope.at] })).length === 1
    },
    stepIndexes: (scope, exchanges) => stepIndexes(run, scope, exchanges),
  }
}

type Rows = readonly ExchangeRow[]

async function pageOf(run: RunStatement, request: PageRequest): Promise<Rows> {
  if (isListed(request.filter)) {
    if (request.offset < farOffset) return run<ExchangeRow>(pageStatement(request, exchangeColumns))
    return rowsOf(run, await run<FoundExchange>(pageStatement(request, keyColumns)))
  }
  const { limit, offset, ...sought } = request
  const to = offset + limit
  return rowsOf(run, (await searchExchanges(run, { ...sought, from: offset, to, most: to })).requested)
}

async function listOf(run: RunStatement, { most, ...request }: ListRequest): Promise<{ rows: Rows; total: number }> {
  const { limit, offset, after, ...requested } = request
  if (isListed(request.filter) || isCostAlone(request.filter)) {
    const [rows, total] = await Promise.all([pageOf(run, request), countOf(run, { ...requested, after: null, most })])
    return { rows, total }
  }
  const flag = onlyFalseFlag(request.filter)
  if (flag !== null) {
    const counting = countWithout(run, requested, { flag, most })
    const [rows, total] = await Promise.all([pageOf(run, request), counting])
    if (total !== null) return { rows, total }
  }
  const isFirst = after === null
  const to = isFirst ? offset + limit : 0
  const search = { ...requested, after: null, from: isFirst ? offset : 0, to, most: Math.max(most, to) }
  const [found, page] = await Promise.all([searchExchanges(run, search), isFirst ? null : pageOf(run, request)])
  return { rows: page ?? (await rowsOf(run, found.requested)), total: Math.min(found.matches, most) }
}

function isCostAlone({ minCostNano, ...others }: ExchangeFilter): boolean {
  return minCostNano !== undefined && Object.values(others).every((value) => value === undefined)
}

/** So many rows are passed over in the index, without reading them. */
const farOffset = 500
/** What the index of each list knows; a row's day follows from its expiry. */
const keyColumns = `e.created_at AS "createdAt", e.id, (e.expires_at AT TIME ZONE 'UTC')::date::text AS day, NULL AS "traceId"`

function pageStatement({ limit, offset, ...requested }: PageRequest, columns: string): ReadStatement {
  const bindings = createBindings()
  const text = `
    SELECT ${columns} FROM exchange e WHERE ${conditionsOf(requested, bindings)}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(offset)}`
  return { text, values: bindings.values, isPrepared: true }
}

async function countOf(
  run: RunStatement,
  { most, ...requested }: Omit<ListRequest, 'limit' | 'offset'>,
): Promise<number> {
  const bindings = createBindings()
  const some = `SELECT 1 FROM exchange e WHERE ${conditionsOf(requested, bindings)}`
  // In the order of the index that is to be counted in.
  const order = isCostAlone(requested.filter) ? 'e.cost_nano' : 'e.created_at DESC, e.id DESC'
  const text = `SELECT count(*)::int AS count FROM (${some} ORDER BY ${order} LIMIT ${bindings.bind(most)}) found`
  const [row] = await run<{ count: number }>({ text, values: bindings.values, isPrepared: true })
  return row?.count ?? 0
}

/** In their order; what is gone meanwhile is missing. */
async function rowsOf(run: RunStatement, found: readonly FoundExchange[]): Promise<Rows> {
  if (found.length === 0) return []
  const text = `
    SELECT ${exchangeColumns} FROM unnest($1::date[], $2::uuid[]) AS k(day, id)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id
    ORDER BY e.created_at DESC, e.id DESC`
  return run<ExchangeRow>({ text, values: [found.map(({ day }) => day), found.map(({ id }) => id)], isPrepared: true })
}

const deleteStatement = `
  WITH gone AS (
    DELETE FROM exchange WHERE id = $1 AND workspace_id = $2 AND expires_at > $3 RETURNING expires_on, id
  ), gone_content AS (
    DELETE FROM exchange_content c USING gone WHERE c.expires_on = gone.expires_on AND c.id = gone.id
  )
  SELECT id FROM gone`

function contentOf({ messages, response, tools, response_format, params }: ContentRow): ExchangeContent {
  return { messages, response, tools, responseFormat: response_format, params }
}
