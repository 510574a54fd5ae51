import { readBlindRun } from '@ratchet/contracts/blind-log'
import { exportTrace, getSpan, getTrace, listTraces } from '@ratchet/contracts/traces'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import type { Router } from 'express'
import type { ExchangeReads, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { blindConversation } from '../logs/blind-conversation.ts'
import { filterOf } from '../logs/filter-of.ts'
import { stepPieces } from '../logs/log-pieces.ts'
import { logRowOf, withinRetention } from '../logs/log-row.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { listTraces as listTracesOf } from './list-traces.ts'
import { stepPages } from './step-pages.ts'
import { attributesOf, traceObjectOf, traceSpanOf } from './trace-object.ts'
import type { TraceReads } from './trace-reads.ts'

export interface TraceRouteDeps {
  readonly exchanges: ExchangeReads
  readonly traces: TraceReads
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

const jsonType = 'application/json; charset=utf-8'
/** A trace is returned with at most so many steps and at most so many spans. */
const maxShown = 10_000

/** Lists, reads and exports traces. */
export function traceRoutes(router: Router, deps: TraceRouteDeps): void {
  const { exchanges, traces, workspaces } = deps
  const scopeOf = async ({ workspaceId }: { readonly workspaceId: string }): Promise<ReadScope> => {
    const { retentionDays } = await requireLogging(workspaces, workspaceId)
    return { workspaceId, at: deps.now(), retentionDays }
  }

  mount(router, listTraces, async ({ query, identity }) => {
    const scope = await scopeOf(identity)
    const { limit, offset, min_steps: minSteps, after = null } = query
    const list = await listTracesOf(traces, { ...scope, filter: filterOf(query), minSteps, limit, offset, after })
    if (list === null)
      throw new ServiceError('invalid_request', 'after is not the id of a trace that matches.', { param: 'after' })
    const data = list.data.map((summary) => traceObjectOf(summary, scope))
    return { object: 'list' as const, data, total: list.total, limit, offset, has_more: list.hasMore }
  })

  mountRaw(router, getTrace, async ({ params, query, identity }, response) => {
    const scope = await scopeOf(identity)
    await writePieces(response, jsonType, tracePieces(deps, scope, { traceId: params.trace_id, ...query }))
  })

  mount(router, getSpan, async ({ params: { trace_id: traceId, span_id: spanId }, identity }) => {
    const span = await traces.span(await scopeOf(identity), { traceId, spanId })
    if (span === null) throw notFound('span', 'span_id')
    return { ...traceSpanOf(span), attributes: attributesOf(span.attributes ?? '{}') }
  })

  mount(router, readBlindRun, async ({ params: { trace_id: id }, identity }) => {
    const scope = await scopeOf(identity)
    const last = await traces.lastOf(scope, id)
    const named = { thing: 'trace', param: 'trace_id' }
    return { object: 'trace.blind' as const, id, ...(await blindConversation(exchanges, scope, last, named)) }
  })

  mountRaw(router, exportTrace, async ({ params, identity }, response) => {
    const scope = await scopeOf(identity)
    await writePieces(response, jsonType, traceExportPieces(deps, scope, params.trace_id))
  })
}

async function* tracePieces(
  { exchanges, traces }: TraceRouteDeps,
  scope: ReadScope,
  { traceId, content }: { readonly traceId: string; readonly content: 'all' | 'none' },
): AsyncGenerator<string> {
  const [summary] = await traces.summaries(scope, [traceId])
  if (summary === undefined) throw notFound('trace', 'trace_id')
  const pages = stepPages(traces, scope, { traceId, limit: maxShown })
  yield `${JSON.stringify(traceObjectOf(summary, scope)).slice(0, -1)},"data":[`
  if (content === 'all') yield* stepPieces(exchanges, scope, pages)
  else yield* rowPieces(scope, pages)
  yield '],"spans":['
  let isFirst = true
  for await (const spans of traces.spansOf(scope, { traceId, limit: maxShown, hasAttributes: content === 'all' })) {
    const texts = spans.map((span) => JSON.stringify(traceSpanOf(span)))
    yield `${isFirst ? '' : ','}${texts.join(',')}`
    isFirst = false
  }
  yield ']}'
}

async function* rowPieces(scope: ReadScope, pages: AsyncIterable<readonly LoggedExchange[]>): AsyncGenerator<string> {
  let stepsBefore = 0
  for await (const page of pages) {
    const first = stepsBefore
    const rows = page.map((step, index) => JSON.stringify(withinRetention(logRowOf(step, first + index), scope)))
    yield `${first === 0 ? '' : ','}${rows.join(',')}`
    stepsBefore += page.length
  }
}

async function* traceExportPieces(
  { exchanges, traces }: TraceRouteDeps,
  scope: ReadScope,
  traceId: string,
): AsyncGenerator<string> {
  const last = await traces.lastOf(scope, traceId)
  const content = last === null ? undefined : (await exchanges.contents(scope, [last])).get(last.id)
  if (last === null || content === undefined) throw notFound('trace', 'trace_id')
  const { messages, response, tools } = content
  const before = messages.trim().slice(1, -1).trim()
  const conversation = before === '' ? response : `${before},${response}`
  yield `{"object":"trace.export","id":${JSON.stringify(last.traceId)},"messages":[${conversation}],"tools":${tools ?? 'null'},"steps":[`
  yield* stepPieces(exchanges, scope, stepPages(traces, scope, { traceId, limit: maxShown }))
  yield ']}'
}
