import type { RequestOutcome } from '@ratchet/contracts/failure-causes'
import { hourOf } from '@ratchet/service-kit/timing/durations'
import { latencyBucket } from '@ratchet/stats/latency-bucket'

/** A request that is over. */
export interface EndedRequest {
  readonly requestId: string
  readonly workspaceId: string
  readonly keyId: string | null
  readonly outcome: RequestOutcome
  readonly at: Date
  readonly model: string
  readonly provider: string | null
  readonly tag: string | null
  readonly alias: string | null
  /** From the request to the end of its answer. */
  readonly latencyMs: number
}

/** What is stored of a request without a whole answer, beside its count. */
export interface FailedRequest extends EndedRequest {
  readonly traceId: string | null
  readonly upstreamStatus: number | null
  readonly tries: number
  readonly errorCode: string | null
  readonly message: string
}

/** Requests that ended in the same way within an hour. */
export interface OutcomeCount extends Omit<EndedRequest, 'requestId' | 'at' | 'latencyMs'> {
  /** The start of the hour. */
  readonly hour: Date
  count: number
  readonly firstAt: Date
  lastAt: Date
  lastRequestId: string
}

/** Answers of models within an hour that took equally long. Stored answers are not in it. */
export interface LatencyCount {
  readonly workspaceId: string
  /** The start of the hour. */
  readonly hour: Date
  /** See `latencyBucket`. */
  readonly bucket: number
  count: number
}

export interface OutcomeBatch {
  readonly counts: readonly OutcomeCount[]
  readonly latencies: readonly LatencyCount[]
  readonly rows: readonly FailedRequest[]
}

export interface OutcomeCounts {
  ended(request: EndedRequest): void
  failed(request: FailedRequest): void
  /** Everything since it was last called. */
  take(): OutcomeBatch
}

/** Limits of what waits in memory, and of what one workspace makes this process store in an hour. */
export const outcomeLimits = {
  counts: 5_000,
  rows: 2_000,
  rowsOfWorkspace: 200,
  kindsOfWorkspaceInHour: 2_000,
  rowsOfWorkspaceInHour: 2_000,
} as const

/**
 * Counts requests in memory. Every request is counted. Beyond the limits, its model, tag and alias are not told apart any
 * more, and the row of a failure is not kept; `onDropped` is called for each of those.
 */
export function createOutcomeCounts(onDropped: () => void): OutcomeCounts {
  let counts = new Map<string, OutcomeCount>()
  let latencies = new Map<string, LatencyCount>()
  let rows: FailedRequest[] = []
  let rowsOf = new Map<string, number>()
  const hours = createHours()

  function count(request: EndedRequest): void {
    const key = keyOf(request)
    const known = counts.get(key)
    if (known !== undefined) add(known, request)
    else if (isPlain(request) || (counts.size < outcomeLimits.counts && hours.mayStore(request, key)))
      counts.set(key, first(request))
    else count({ ...request, model: '', tag: null, alias: null, provider: null, keyId: null })
  }

  function time({ workspaceId, at, latencyMs }: EndedRequest): void {
    const [hour, bucket] = [hourOf(at), latencyBucket(latencyMs)]
    const key = `${workspaceId} ${hour} ${bucket}`
    const known = latencies.get(key)
    if (known === undefined) latencies.set(key, { workspaceId, hour: new Date(hour), bucket, count: 1 })
    else known.count += 1
  }

  return {
    ended(request) {
      count(request)
      if (request.outcome === 'answered') time(request)
    },
    failed(request) {
      count(request)
      const { workspaceId } = request
      const own = rowsOf.get(workspaceId) ?? 0
      const hasRoom = rows.length < outcomeLimits.rows && own < outcomeLimits.rowsOfWorkspace
      if (!hasRoom || !hours.mayStoreRow(request)) return onDropped()
      rowsOf.set(workspaceId, own + 1)
      rows.push(request)
    },
    take() {
      const batch = { counts: [...counts.values()], latencies: [...latencies.values()], rows }
      counts = new Map()
      latencies = new Map()
      rows = []
      rowsOf = new Map()
      return batch
    },
  }
}

/** What each workspace stored in the current hour. A failed request costs nothing, so its rows must have an end. */
function createHours() {
  let hour = 0
  let ofWorkspaces = new Map<string, { readonly kinds: Set<string>; rows: number }>()

  function find({ workspaceId, at }: EndedRequest) {
    if (hourOf(at) > hour) {
      hour = hourOf(at)
      ofWorkspaces = new Map()
    }
    const found = ofWorkspaces.get(workspaceId) ?? { kinds: new Set(), rows: 0 }
    ofWorkspaces.set(workspaceId, found)
    return found
  }

  return {
    mayStore(request: EndedRequest, kind: string): boolean {
      const { kinds } = find(request)
      if (kinds.size >= outcomeLimits.kindsOfWorkspaceInHour) return kinds.has(kind)
      kinds.add(kind)
      return true
    },
    mayStoreRow(request: EndedRequest): boolean {
      const found = find(request)
      found.rows += 1
      return found.rows <= outcomeLimits.rowsOfWorkspaceInHour
    },
  }
}

function isPlain({ model, tag, alias, provider, keyId }: EndedRequest): boolean {
  return model === '' && tag === null && alias === null && provider === null && keyId === null
}

function keyOf({ workspaceId, keyId, outcome, at, model, provider, tag, alias }: EndedRequest): string {
  return `${workspaceId} ${keyId} ${outcome} ${hourOf(at)} ${provider}\0${model}\0${alias}\0${tag}`
}

function add(known: OutcomeCount, { at, requestId }: EndedRequest): void {
  known.count += 1
  known.lastAt = at
  known.lastRequestId = requestId
}

function first(request: EndedRequest): OutcomeCount {
  const { requestId, workspaceId, keyId, outcome, at, model, provider, tag, alias } = request
  const facts = { workspaceId, keyId, outcome, model, provider, tag, alias }
  return { ...facts, hour: new Date(hourOf(at)), count: 1, firstAt: at, lastAt: at, lastRequestId: requestId }
}
