import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import {
  type ExchangeFilter,
  type ExchangeReads,
  isListed,
  type ListRequest,
  type PageRequest,
} from '../exchanges/exchange-reads.ts'
import { daysOfExpiry } from '../exchanges/expiry-day.ts'
import { type DeletedRow, membersOf, removeFromBlocks } from '../exchanges/pg-exchange-blocks.ts'
import { conditionsOf, createBindings } from '../exchanges/pg-exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import { readContents } from '../exchanges/pg-read-contents.ts'
import { createRunStatement, type ReadStatement, type RunStatement, whileAvailable } from '../exchanges/pg-run-read.ts'
import { searchExchanges } from './pg-search-exchanges.ts'
import { stepIndexes } from './pg-step-indexes.ts'
import type { FoundExchange } from './pg-walk-exchanges.ts'

/** Reads exchanges in Postgres. The pool serves nothing else, because reads may take long. */
export function createPgExchangeReads(pool: Pool, places?: FairPlaces): ExchangeReads {
  const runOf = createRunStatement(pool, places)
  return {
    async page(request) {
      return (await pageOf(runOf(request.workspaceId), request)).map(exchangeOf)
    },
    async list(request) {
      const { rows, total } = await listOf(runOf(request.workspaceId), request)
      return { rows: rows.map(exchangeOf), total }
    },
    async get({ workspaceId, at }, id) {
      const text = `SELECT ${exchangeColumns} FROM exchange e WHERE e.id = $1 AND e.workspace_id = $2 AND e.expires_at > $3`
      const [row] = await runOf(workspaceId)<ExchangeRow>({ text, values: [id, workspaceId, at], isPrepared: true })
      return row === undefined ? null : exchangeOf(row)
    },
    async ofRequest({ workspaceId, at }, requestId) {
      // The unique index on requests begins with the day of expiry.
      const text = `SELECT ${exchangeColumns} FROM exchange e
        WHERE e.expires_on = ANY($4::date[]) AND e.workspace_id = $1 AND e.request_id = $2 AND e.expires_at > $3 LIMIT 1`
      const values = [workspaceId, requestId, at, daysOfExpiry(at)]
      const [row] = await runOf(workspaceId)<ExchangeRow>({ text, values, isPrepared: true })
      return row === undefined ? null : exchangeOf(row)
    },
    contents: ({ workspaceId }, keys) => readContents(runOf(workspaceId), workspaceId, keys),
    async delete(scope, id) {
      return whileAvailable(() =>
        inTransaction(pool, async (client) => {
          const { rows } = await client.query<DeletedRow>(deleteStatement, [id, scope.workspaceId, scope.at])
          await removeFromBlocks(client, membersOf(rows))
          return rows.length === 1
        }),
      )
    },
    stepIndexes: (scope, exchanges) => stepIndexes(runOf(scope.workspaceId), scope, exchanges),
  }
}

type Rows = readonly ExchangeRow[]

async function pageOf(run: RunStatement, request: PageRequest): Promise<Rows> {
  if (isListed(request.filter)) {
    if (request.offset < farOffset) return run<ExchangeRow>(pageStatement(request, exchangeColumns))
    return rowsOf(run, request.workspaceId, await run<FoundExchange>(pageStatement(request, keyColumns)))
  }
  const { limit, offset, ...sought } = request
  const to = offset + limit
  const { requested } = await searchExchanges(run, { ...sought, from: offset, to, maxMatches: to })
  return rowsOf(run, request.workspaceId, requested)
}

async function listOf(
  run: RunStatement,
  { maxTotal, ...request }: ListRequest,
): Promise<{ rows: Rows; total: number }> {
  const { limit, offset, after, ...requested } = request
  if (isListed(request.filter) || isCostAlone(request.filter)) {
    const [rows, total] = await Promise.all([
      pageOf(run, request),
      countOf(run, { ...requested, after: null, maxTotal }),
    ])
    return { rows, total }
  }
  const isFirst = after === null
  const to = isFirst ? offset + limit : 0
  const search = { ...requested, after: null, from: isFirst ? offset : 0, to, maxMatches: Math.max(maxTotal, to) }
  const [found, page] = await Promise.all([searchExchanges(run, search), isFirst ? null : pageOf(run, request)])
  return {
    rows: page ?? (await rowsOf(run, request.workspaceId, found.requested)),
    total: Math.min(found.matches, maxTotal),
  }
}

function isCostAlone({ minCostNano, ...others }: ExchangeFilter): boolean {
  return minCostNano !== undefined && Object.values(others).every((value) => value === undefined)
}

/** From this offset on, the skipped rows are read in the index only. */
const farOffset = 500
/** Columns that the index of every list contains; the day follows from the expiry. */
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
  { maxTotal, ...requested }: Omit<ListRequest, 'limit' | 'offset'>,
): Promise<number> {
  const bindings = createBindings()
  const some = `SELECT 1 FROM exchange e WHERE ${conditionsOf(requested, bindings)}`
  // The order makes Postgres count in the matching index.
  const order = isCostAlone(requested.filter) ? 'e.cost_nano' : 'e.created_at DESC, e.id DESC'
  const text = `SELECT count(*)::int AS count FROM (${some} ORDER BY ${order} LIMIT ${bindings.bind(maxTotal)}) found`
  const [row] = await run<{ count: number }>({ text, values: bindings.values, isPrepared: true })
  return row?.count ?? 0
}

/** The rows of these keys, the newest first. Rows that were deleted meanwhile are missing. */
async function rowsOf(run: RunStatement, workspaceId: string, found: readonly FoundExchange[]): Promise<Rows> {
  if (found.length === 0) return []
  const [days, ids] = [found.map(({ day }) => day), found.map(({ id }) => id)]
  const text = `
    SELECT ${exchangeColumns} FROM unnest($1::date[], $2::uuid[]) AS k(day, id)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id ${newestFirst}`
  const rows = await run<ExchangeRow>({ text, values: [days, ids], isPrepared: true })
  if (rows.length === found.length) return rows
  // A sweep after a shortened retention moves exchanges to another day of expiry while they are searched.
  return run<ExchangeRow>({ text: rowsByIdText, values: [workspaceId, ids], isPrepared: true })
}

const newestFirst = 'ORDER BY e.created_at DESC, e.id DESC'
const rowsByIdText = `SELECT ${exchangeColumns} FROM exchange e WHERE e.workspace_id = $1 AND e.id = ANY($2::uuid[]) ${newestFirst}`

const deleteStatement = `
  WITH deleted AS (
    DELETE FROM exchange WHERE id = $1 AND workspace_id = $2 AND expires_at > $3 RETURNING expires_on, id, block_id
  ), deleted_content AS (
    DELETE FROM exchange_content c USING deleted WHERE c.expires_on = deleted.expires_on AND c.id = deleted.id
  )
  SELECT id, expires_on::text AS day, block_id FROM deleted`
