import type { Pool } from '@ratchet/db/connect-pool'
import type { CountRequest, ExchangeFilter, ExchangeReads, PageRequest, ReadScope } from '../domain/exchange-reads.ts'
import type { ExchangeContent, LoggedExchange } from '../domain/logged-exchange.ts'
import { behind, conditionsOf, createBindings } from './exchange-conditions.ts'
import { type ExchangeRow, exchangeOf } from './exchange-row.ts'
import { createRunStatement, type ReadStatement, type RunStatement } from './run-read.ts'
import { createWordSearch } from './search-words.ts'

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
  const search = createWordSearch(run)
  return {
    async page(request) {
      const { words } = request.filter
      const rows =
        words === undefined
          ? await run<ExchangeRow>(pageStatement(request))
          : await search.page({ ...request, filter: { ...request.filter, words } })
      return rows.map(exchangeOf)
    },
    async count(request) {
      const { words } = request.filter
      if (words !== undefined) return search.count({ ...request, filter: { ...request.filter, words } })
      const [row] = await run<{ count: number }>(countStatement(request))
      return row?.count ?? 0
    },
    async get({ workspaceId, at }, id) {
      const text = 'SELECT * FROM exchange WHERE id = $1 AND workspace_id = $2 AND expires_at > $3'
      const [row] = await run<ExchangeRow>({ text, values: [id, workspaceId, at], isPrepared: true })
      return row === undefined ? null : exchangeOf(row)
    },
    async contents(keys) {
      const days = [...new Set(keys.map(({ expiresAt }) => expiresAt.toISOString().slice(0, 10)))]
      const text = 'SELECT * FROM exchange_content WHERE expires_on = ANY($1::date[]) AND id = ANY($2::uuid[])'
      const values = [days, keys.map(({ id }) => id)]
      const rows = await run<ContentRow>({ text, values, isPrepared: true })
      return new Map(rows.map((row) => [row.id, contentOf(row)]))
    },
    async delete(scope, id) {
      return (await run({ text: deleteStatement, values: [id, scope.workspaceId, scope.at] })).length === 1
    },
    stepIndexes: (scope, exchanges) => stepIndexes(run, scope, exchanges),
  }
}

function pageStatement({ limit, offset, after, ...wanted }: PageRequest): ReadStatement {
  const bindings = createBindings()
  const conditions = conditionsOf(wanted, bindings)
  const from = after === null ? '' : `AND ${behind(after, bindings)}`
  const text = `
    SELECT e.* FROM exchange e WHERE ${conditions} ${from}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(offset)}`
  return { text, values: bindings.values, isPrepared: isPlain(wanted.filter) }
}

function countStatement({ most, ...wanted }: CountRequest): ReadStatement {
  const bindings = createBindings()
  const some = `SELECT 1 FROM exchange e WHERE ${conditionsOf(wanted, bindings)} LIMIT ${bindings.bind(most)}`
  const text = `SELECT count(*)::int AS count FROM (${some}) found`
  return { text, values: bindings.values, isPrepared: isPlain(wanted.filter) }
}

/** One condition has one index, for any value of it; what goes best with several, or with a cost, depends on the values. */
function isPlain({ minCostNano, start: _start, end: _end, ...others }: ExchangeFilter): boolean {
  return minCostNano === undefined && Object.values(others).filter((value) => value !== undefined).length <= 1
}

const deleteStatement = `
  WITH gone AS (
    DELETE FROM exchange WHERE id = $1 AND workspace_id = $2 AND expires_at > $3 RETURNING expires_on, id
  ), gone_content AS (
    DELETE FROM exchange_content c USING gone WHERE c.expires_on = gone.expires_on AND c.id = gone.id
  )
  SELECT id FROM gone`

async function stepIndexes(
  run: RunStatement,
  { workspaceId, at }: ReadScope,
  exchanges: readonly LoggedExchange[],
): Promise<ReadonlyMap<string, number>> {
  const steps = exchanges.filter(({ traceId }) => traceId !== null)
  if (steps.length === 0) return new Map()
  const text = `
    SELECT id, index FROM (
      SELECT id, (row_number() OVER (PARTITION BY trace_id ORDER BY created_at, id) - 1)::int AS index
      FROM exchange WHERE workspace_id = $1 AND expires_at > $2 AND trace_id = ANY($3)
    ) numbered WHERE id = ANY($4::uuid[])`
  const traces = [...new Set(steps.map(({ traceId }) => traceId))]
  const values = [workspaceId, at, traces, steps.map(({ id }) => id)]
  const rows = await run<{ id: string; index: number }>({ text, values, isPrepared: true })
  return new Map(rows.map(({ id, index }) => [id, index]))
}

function contentOf({ messages, response, tools, response_format, params }: ContentRow): ExchangeContent {
  return { messages, response, tools, responseFormat: response_format, params }
}
