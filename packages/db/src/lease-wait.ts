/*
 * When a change of a key has reached every edge (docs/adr/0027-edges-hold-leases-on-keys.md). Decisions only:
 * `change-keys.ts` reads and deletes the rows.
 */

/**
 * Milliseconds after its last renewal until a lease may be ignored. Edges end their leases a tenth earlier, so clocks
 * may run at different speeds.
 */
export const leaseEndsMs = 3_000

export interface LeaseRow {
  readonly id: string
  readonly timeline: string
  readonly ackedVersion: number
  /** Changes with every renewal. */
  readonly renewals: string
}

/** What the database says after the change is committed. */
export interface LeaseReading {
  /** Postgres' timeline. */
  readonly timeline: string
  /** Whether leases of earlier timelines are known to have ended. */
  readonly isTimelineSettled: boolean
  /** The newest version of all keys. */
  readonly version: number
  readonly leases: readonly LeaseRow[]
}

export type WaitDecision =
  /** No edge answers from what it read before the change. */
  | { readonly kind: 'done'; readonly settlesTimeline: boolean }
  /** These leases have ended. Delete those that were not renewed since, and read again. */
  | { readonly kind: 'end'; readonly leases: readonly LeaseRow[] }
  | { readonly kind: 'wait' }
  /** The database went back to a time before the change, or may have. */
  | { readonly kind: 'lost' }

export interface LeaseWait {
  /**
   * @param answeredAtMs when the reading arrived, on a clock that only runs forward
   * @param nowMs the same clock, now
   */
  decide(reading: LeaseReading, answeredAtMs: number, nowMs: number): WaitDecision
}

/**
 * Waits for the newest version of the first reading. A lease that is neither acknowledged nor renewed is watched for
 * three seconds of this process' own clock, whatever the clocks of Postgres and of the edge say.
 */
export function createLeaseWait(): LeaseWait {
  const watched = new Map<string, { readonly renewals: string; readonly sinceMs: number }>()
  let awaited: number | undefined
  let current: { readonly timeline: string; readonly sinceMs: number } | undefined

  return {
    decide({ timeline, isTimelineSettled, version, leases }, answeredAtMs, nowMs) {
      awaited ??= version
      current ??= { timeline, sinceMs: answeredAtMs }
      // Another server was promoted, which may not have the change. Its next versions may be as high as the awaited one.
      if (version < awaited || current.timeline !== timeline) return { kind: 'lost' }
      // What was acknowledged in another timeline may have been another change with the same version.
      const needed = awaited
      const pending = leases.filter((lease) => lease.timeline !== timeline || lease.ackedVersion < needed)
      for (const { id, renewals } of pending) {
        if (watched.get(id)?.renewals !== renewals) watched.set(id, { renewals, sinceMs: answeredAtMs })
      }
      const ended = pending.filter(({ id }) => nowMs - (watched.get(id)?.sinceMs ?? nowMs) >= leaseEndsMs)
      if (ended.length > 0) return { kind: 'end', leases: ended }
      if (pending.length > 0) return { kind: 'wait' }
      if (isTimelineSettled) return { kind: 'done', settlesTimeline: false }
      return nowMs - current.sinceMs >= leaseEndsMs ? { kind: 'done', settlesTimeline: true } : { kind: 'wait' }
    },
  }
}
