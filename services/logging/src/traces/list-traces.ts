import type { ExchangeFilter, Place, ReadScope } from '../exchanges/exchange-reads.ts'
import type { StepWalk, TraceReads, TraceSummary } from './trace-reads.ts'

export interface TraceListRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly minSteps: number
  readonly limit: number
  readonly offset: number
  /** Id of the last trace of the previous page. */
  readonly after: string | null
}

export interface TraceList {
  readonly data: readonly TraceSummary[]
  /** Counted up to {@link maxTraces}. */
  readonly total: number
  readonly hasMore: boolean
}

/** Totals of traces are counted up to this number. */
export const maxTraces = 1_000
/** Steps that are read at a time: enough for the total when every step belongs to another trace. */
const windowSteps = 1_200

/**
 * Lists traces by their newest matching step. With a filter, matching steps are read from the newest on until the page
 * is full; without one, the counter table of traces is read.
 *
 * @returns null when `after` is not a trace that matches
 */
export async function listTraces(reads: TraceReads, request: TraceListRequest): Promise<TraceList | null> {
  const isFiltered = Object.values(request.filter).some((value) => value !== undefined)
  const found = await (isFiltered ? findSteps(reads, request) : findTraces(reads, request))
  if (found === null) return null
  const { offset, limit } = request
  return {
    data: await summarise(reads, request, found.ids.slice(offset, offset + limit)),
    total: Math.min(found.total, maxTraces),
    hasMore: found.ids.length > offset + limit,
  }
}

interface Found {
  /** Behind the previous page; one more than the page needs, when there are so many. */
  readonly ids: readonly string[]
  readonly total: number
}

async function findTraces(reads: TraceReads, request: TraceListRequest): Promise<Found | null> {
  const { after, offset, limit } = request
  const [place = null] = after === null ? [] : await reads.traffic(request, [after])
  if (place === null && after !== null) return null
  const requested = offset + limit + 1
  const [all, page] = await Promise.all([
    reads.newest({ ...request, after: null, limit: place === null ? Math.max(requested, maxTraces) : maxTraces }),
    place === null ? null : reads.newest({ ...request, after: place, limit: requested }),
  ])
  return { ids: (page ?? all).map(({ id }) => id), total: all.length }
}

async function findSteps(reads: TraceReads, request: TraceListRequest): Promise<Found | null> {
  const { after, offset, limit } = request
  const place = after === null ? null : await placeOf(reads, request, after)
  if (place === null && after !== null) return null
  const requested = offset + limit + 1
  const ids = await walk(reads, request, { from: place, maxFound: Math.max(requested, place === null ? maxTraces : 0) })
  const all = place === null ? ids : await walk(reads, request, { from: null, maxFound: maxTraces })
  return { ids, total: all.length }
}

async function placeOf(reads: TraceReads, request: TraceListRequest, traceId: string): Promise<Place | null> {
  const [newest] = await reads.steps({ ...request, filter: { ...request.filter, traceId }, behind: null, limit: 1 })
  return newest ?? null
}

interface WalkOptions {
  readonly from: Place | null
  readonly maxFound: number
}

/** Ids of traces that match, in order. */
async function walk(reads: TraceReads, request: TraceListRequest, { from, maxFound }: WalkOptions): Promise<string[]> {
  const found: string[] = []
  const seen = new Set<string>()
  let behind = from
  while (found.length < maxFound) {
    const steps = await reads.steps({ ...request, behind, limit: windowSteps })
    const fresh = [...new Set(steps.map(({ traceId }) => traceId))].filter((id) => !seen.has(id))
    for (const id of fresh) seen.add(id)
    found.push(...(await keepListed(reads, request, { behind: from, traceIds: fresh })))
    behind = steps.at(-1) ?? null
    if (steps.length < windowSteps) break
  }
  return found
}

/** Removes traces that are on an earlier page, and traces with too few steps. */
async function keepListed(
  reads: TraceReads,
  request: TraceListRequest,
  { behind, traceIds }: Pick<StepWalk, 'behind'> & { readonly traceIds: readonly string[] },
): Promise<readonly string[]> {
  if (traceIds.length === 0) return []
  const earlier = new Set(behind === null ? [] : await reads.withStepBefore({ ...request, behind, traceIds }))
  const left = traceIds.filter((id) => !earlier.has(id))
  if (request.minSteps === 1 || left.length === 0) return left
  const long = (await reads.traffic(request, left)).filter(({ steps }) => steps >= request.minSteps)
  const ids = new Set(long.map(({ id }) => id))
  return left.filter((id) => ids.has(id))
}

async function summarise(
  reads: TraceReads,
  request: TraceListRequest,
  ids: readonly string[],
): Promise<TraceSummary[]> {
  if (ids.length === 0) return []
  const byId = new Map((await reads.summaries(request, ids)).map((summary) => [summary.id, summary]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
