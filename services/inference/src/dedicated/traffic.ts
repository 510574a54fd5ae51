/** What ended at an endpoint in a minute. */
export interface MinuteCounts {
  readonly endpointId: string
  readonly workspaceId: string
  /** Its beginning, ISO 8601. */
  readonly minute: string
  requests: number
  errors: number
  tokens: number
  /** Milliseconds until the first byte of streams, and of waiting for a replica, counted by bucket. */
  readonly ttft: Record<string, number>
  readonly waits: Record<string, number>
}

/** Requests at an endpoint now. */
export interface EndpointTraffic {
  readonly endpointId: string
  readonly workspaceId: string
  readonly running: number
  readonly waiting: number
  readonly lastRequestAt: Date
}

export interface TrafficReport {
  readonly traffic: readonly EndpointTraffic[]
  readonly minutes: readonly MinuteCounts[]
}

/** One request at an endpoint. */
export interface EndpointVisit {
  /** A replica is ready after so many milliseconds of waiting. */
  started(waitedMs: number): void
  /** The request is over. Later calls do nothing. */
  ended(outcome: { readonly isAnswered: boolean; readonly tokens: number; readonly ttftMs: number | null }): void
}

export interface TrafficCounts {
  /** Requests of an endpoint in this process. */
  of(endpointId: string): { readonly running: number; readonly waiting: number }
  /** Requests of a workspace that wait in this process, at whatever endpoint. */
  waitingOf(workspaceId: string): number
  /** A request has arrived, and waits. */
  enter(endpoint: { readonly id: string; readonly workspaceId: string }): EndpointVisit
  /** What has changed since the last call, and every endpoint with requests. What is not stored is given back. */
  take(): TrafficReport
  giveBack(report: TrafficReport): void
}

interface Entry {
  readonly workspaceId: string
  running: number
  waiting: number
  lastRequestAt: Date
  isReported: boolean
}

/** Minutes that are kept while they cannot be stored. */
const maxMinutes = 10_000

/** Numbers by name, without those that are 0. */
function createTally() {
  const numbers = new Map<string, number>()
  return {
    of: (name: string) => numbers.get(name) ?? 0,
    add(name: string, change: 1 | -1) {
      const left = (numbers.get(name) ?? 0) + change
      if (left === 0) numbers.delete(name)
      else numbers.set(name, left)
    },
  }
}

export function createTrafficCounts(now: () => Date): TrafficCounts {
  const entries = new Map<string, Entry>()
  const waiting = createTally()
  let minutes = new Map<string, MinuteCounts>()

  function minuteOf(endpointId: string, workspaceId: string): MinuteCounts {
    const minute = new Date(Math.floor(now().getTime() / 60_000) * 60_000).toISOString()
    const key = `${endpointId} ${minute}`
    const found = minutes.get(key)
    if (found !== undefined) return found
    const counts = { endpointId, workspaceId, minute, requests: 0, errors: 0, tokens: 0, ttft: {}, waits: {} }
    if (minutes.size < maxMinutes) minutes.set(key, counts)
    return counts
  }

  return {
    of: (endpointId) => entries.get(endpointId) ?? { running: 0, waiting: 0 },
    waitingOf: waiting.of,
    enter({ id, workspaceId }) {
      const entry = entries.get(id) ?? { workspaceId, running: 0, waiting: 0, lastRequestAt: now(), isReported: false }
      entries.set(id, entry)
      entry.waiting += 1
      waiting.add(workspaceId, 1)
      entry.lastRequestAt = now()
      entry.isReported = false
      let place: 'waiting' | 'running' | null = 'waiting'
      return {
        started(waitedMs) {
          if (place !== 'waiting') return
          place = 'running'
          entry.waiting -= 1
          waiting.add(workspaceId, -1)
          entry.running += 1
          if (waitedMs > 0) count(minuteOf(id, workspaceId).waits, waitedMs)
        },
        ended({ isAnswered, tokens, ttftMs }) {
          if (place === null) return
          entry[place] -= 1
          if (place === 'waiting') waiting.add(workspaceId, -1)
          place = null
          entry.lastRequestAt = now()
          entry.isReported = false
          const minute = minuteOf(id, workspaceId)
          minute.requests += 1
          minute.errors += isAnswered ? 0 : 1
          minute.tokens += tokens
          if (ttftMs !== null) count(minute.ttft, ttftMs)
        },
      }
    },
    take() {
      const changed = [...entries].filter(([, entry]) => !entry.isReported || entry.running + entry.waiting > 0)
      const traffic = changed.map(([endpointId, entry]) => {
        entry.isReported = true
        const { workspaceId, running, waiting, lastRequestAt } = entry
        return { endpointId, workspaceId, running, waiting, lastRequestAt }
      })
      const taken = [...minutes.values()]
      minutes = new Map()
      return { traffic, minutes: taken }
    },
    giveBack(report) {
      for (const { endpointId } of report.traffic) {
        const entry = entries.get(endpointId)
        if (entry !== undefined) entry.isReported = false
      }
      for (const counts of report.minutes) {
        const key = `${counts.endpointId} ${counts.minute}`
        minutes.set(key, sumOf(counts, minutes.get(key)))
      }
    },
  }
}

/** The bucket of so many milliseconds: the lowest `i` with `ms ≤ 2^(i/2)`, as the training service reads it. */
function count(buckets: Record<string, number>, ms: number): void {
  const bucket = String(ms <= 1 ? 0 : Math.ceil(2 * Math.log2(ms)))
  buckets[bucket] = (buckets[bucket] ?? 0) + 1
}

function sumOf(left: MinuteCounts, right: MinuteCounts | undefined): MinuteCounts {
  if (right === undefined) return left
  return {
    ...left,
    requests: left.requests + right.requests,
    errors: left.errors + right.errors,
    tokens: left.tokens + right.tokens,
    ttft: summed(left.ttft, right.ttft),
    waits: summed(left.waits, right.waits),
  }
}

function summed(left: Record<string, number>, right: Record<string, number>): Record<string, number> {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries([...keys].map((key) => [key, (left[key] ?? 0) + (right[key] ?? 0)]))
}
