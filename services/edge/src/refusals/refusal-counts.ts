import type { ErrorCode } from '@ratchet/contracts/errors'
import type { FailureCause } from '@ratchet/contracts/failure-causes'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { hourOf } from '@ratchet/service-kit/timing/durations'

/** A request of a known caller that the edge refused. */
export interface Refusal {
  readonly workspaceId: string
  readonly requestId: string
  readonly at: Date
}

/** Refusals of a workspace for the same cause within an hour. */
export interface RefusalCount {
  readonly workspaceId: string
  /** The start of the hour. */
  readonly hour: Date
  readonly cause: FailureCause
  count: number
  readonly firstAt: Date
  lastAt: Date
  lastRequestId: string
}

export interface RefusalCounts {
  /** Counts what was thrown if it is a refusal; anything else is no refusal of the caller. */
  note(thrown: unknown, refusal: Refusal): void
  /** Stores what was counted. What could not be stored is tried again by the next flush. Never rejects. */
  flush(): Promise<void>
}

const causes: Partial<Readonly<Record<ErrorCode, FailureCause>>> = {
  insufficient_permissions: 'not_permitted',
  fresh_sign_in_required: 'not_permitted',
  unknown_url: 'invalid_request',
  method_not_allowed: 'invalid_request',
  request_too_large: 'too_large',
  abuse_guard: 'abuse_guard',
}

/** Counts that wait at most. Refusals beyond it are not counted. */
const maxCounts = 10_000

/** Counts in memory. A crash loses what was not flushed. */
export function createRefusalCounts(
  store: { add(counts: readonly RefusalCount[]): Promise<void> },
  onLost: (cause: unknown) => void,
): RefusalCounts {
  let counts = new Map<string, RefusalCount>()

  function merge(count: RefusalCount): void {
    const key = `${count.workspaceId} ${count.hour.getTime()} ${count.cause}`
    const known = counts.get(key)
    if (known !== undefined) {
      known.count += count.count
      if (count.lastAt < known.lastAt) return
      known.lastAt = count.lastAt
      known.lastRequestId = count.lastRequestId
    } else if (counts.size < maxCounts) counts.set(key, count)
  }

  return {
    note(thrown, { workspaceId, requestId, at }) {
      const cause = thrown instanceof ServiceError ? causes[thrown.code] : undefined
      if (cause === undefined) return
      const hour = new Date(hourOf(at))
      merge({ workspaceId, hour, cause, count: 1, firstAt: at, lastAt: at, lastRequestId: requestId })
    },
    async flush() {
      if (counts.size === 0) return
      const taken = counts
      counts = new Map()
      try {
        await store.add([...taken.values()])
      } catch (cause) {
        for (const count of taken.values()) merge(count)
        onLost(cause)
      }
    },
  }
}
