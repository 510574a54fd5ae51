import { readBlindLog } from '@ratchet/contracts/blind-log'
import { maxSearchedTotal, maxTotal } from '@ratchet/contracts/log-filters'
import { deleteLog, exportLogs, getLog, listLogs } from '@ratchet/contracts/logs'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import {
  type ExchangeReads,
  isListed,
  type PageRequest,
  type Place,
  type ReadScope,
} from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { feedbackReply, type StoredFeedback } from '../feedback/feedback.ts'
import type { FeedbackStore } from '../feedback/pg-feedback.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { blindConversation } from './blind-conversation.ts'
import { filterOf } from './filter-of.ts'
import { uuidOfLog } from './log-id.ts'
import { entryPieces, exportPieces } from './log-pieces.ts'
import { logRowOf, withinRetention } from './log-row.ts'

export interface LogRouteDeps {
  readonly feedback: FeedbackStore
  readonly exchanges: ExchangeReads
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

/** Lists, exports, reads and deletes log entries. */
export function logRoutes(router: Router, deps: LogRouteDeps): void {
  const { exchanges, workspaces } = deps
  const scopeOf = async ({ workspaceId }: { readonly workspaceId: string }): Promise<ReadScope> => {
    const { retentionDays } = await requireLogging(workspaces, workspaceId)
    return { workspaceId, at: deps.now(), retentionDays }
  }

  mountRaw(router, listLogs, async ({ query, identity }, response) => {
    const scope = await scopeOf(identity)
    const after = await placeOf(exchanges, scope, query.after)
    const request: PageRequest = { ...scope, filter: filterOf(query), limit: query.limit, offset: query.offset, after }
    await writePieces(response, 'application/json; charset=utf-8', listPieces(exchanges, request, query.content))
  })

  mountRaw(router, exportLogs, async ({ query, identity }, response) => {
    const scope = await scopeOf(identity)
    const after = await placeOf(exchanges, scope, query.after)
    const pieces = exportPieces(exchanges, { ...scope, filter: filterOf(query), limit: query.limit, after })
    response.attachment('logs.jsonl')
    await writePieces(response, 'application/jsonl; charset=utf-8', pieces)
  })

  mountRaw(router, getLog, async ({ params, identity }, response) => {
    const scope = await scopeOf(identity)
    const found = await find(exchanges, scope, params.id)
    const entry = found === null ? null : (await collect(entryPieces(exchanges, scope, [found]))).at(0)
    if (found === null || entry === null || entry === undefined) throw notFound('log entry')
    const feedback = await deps.feedback.of(scope, { logId: found.id, traceId: found.traceId })
    response.type('json').send(withFeedback(entry, feedback))
  })

  mount(router, readBlindLog, async ({ params: { id }, identity }) => {
    const scope = await scopeOf(identity)
    const found = await find(exchanges, scope, id)
    const named = { thing: 'log entry', param: 'id' }
    return { object: 'log.blind' as const, id, ...(await blindConversation(exchanges, scope, found, named)) }
  })

  mount(router, deleteLog, async ({ params, identity }) => {
    const scope = await scopeOf(identity)
    const found = await find(exchanges, scope, params.id)
    if (found === null || !(await exchanges.delete(scope, found.id))) throw notFound('log entry')
    await deps.feedback.deleteOf(scope.workspaceId, { logId: found.id, traceId: found.traceId })
    return { id: params.id, object: 'log' as const, deleted: true as const }
  })
}

/** The entry is JSON text, which is not parsed again. */
function withFeedback(entry: string, feedback: readonly StoredFeedback[]): string {
  return `${entry.slice(0, -1)},"feedback":${JSON.stringify(feedback.map(feedbackReply))}}`
}

async function* listPieces(
  reads: ExchangeReads,
  request: PageRequest,
  content: 'all' | 'none',
): AsyncGenerator<string> {
  const { limit, offset } = request
  const maxTotal = maxCounted(request)
  const { rows, total } = await reads.list({ ...request, limit: limit + 1, maxTotal })
  const shown = rows.slice(0, limit)
  yield '{"object":"list","data":['
  if (content === 'all') yield* entryPieces(reads, request, shown)
  else yield await rowsJson(reads, request, shown)
  yield `],"total":${total},"total_is_exact":${total < maxTotal},"limit":${limit},"offset":${offset},"has_more":${rows.length > limit}}`
}

/** Matches that are searched can be far apart, so they are counted up to a lower number. */
function maxCounted({ filter }: PageRequest): number {
  return isListed(filter) ? maxTotal : maxSearchedTotal
}

async function rowsJson(reads: ExchangeReads, scope: ReadScope, rows: readonly LoggedExchange[]): Promise<string> {
  const stepOf = await reads.stepIndexes(scope, rows)
  const shown = (row: LoggedExchange) => withinRetention(logRowOf(row, stepOf.get(row.id) ?? null), scope)
  return rows.map((row) => JSON.stringify(shown(row))).join(',')
}

/** @throws ServiceError when no entry has the id `after` */
async function placeOf(reads: ExchangeReads, scope: ReadScope, after: string | undefined): Promise<Place | null> {
  if (after === undefined) return null
  const found = await find(reads, scope, after)
  if (found === null)
    throw new ServiceError('invalid_request', 'after is not the id of a log entry.', { param: 'after' })
  return found
}

async function find(reads: ExchangeReads, scope: ReadScope, logId: string): Promise<LoggedExchange | null> {
  const id = uuidOfLog(logId)
  return id === null ? null : reads.get(scope, id)
}

async function collect(pieces: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}
