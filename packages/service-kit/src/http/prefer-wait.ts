import type { Request } from 'express'
import { workspaceOf } from '../identity/require-identity.ts'
import { pauseUnlessAborted } from '../timing/pause-unless-aborted.ts'

/** Requests of an app that wait for the end of work. */
export interface Waiters {
  /** Null when too many wait; otherwise must be called when the request is over. */
  enter(owner: string): (() => void) | null
  /** Aborts when the process stops: nothing is waited for any more. */
  readonly stopping: AbortSignal
}

export interface WaitersOptions {
  readonly stopping: AbortSignal
  readonly maxWaiting?: number
  readonly maxOfOwner?: number
}

/** Where an app keeps its waiting requests, among the values that its routes can read. */
export const waitersName = 'waiters'

/** A request that waits needs a connection of its client and a timer, and reads once a second at most. */
export function createWaiters({ stopping, maxWaiting = 200, maxOfOwner = 20 }: WaitersOptions): Waiters {
  const counts = new Map<string, number>()
  let total = 0
  return {
    stopping,
    enter(owner) {
      const own = counts.get(owner) ?? 0
      if (total >= maxWaiting || own >= maxOfOwner) return null
      total += 1
      counts.set(owner, own + 1)
      return () => {
        total -= 1
        const left = (counts.get(owner) ?? 1) - 1
        if (left === 0) counts.delete(owner)
        else counts.set(owner, left)
      }
    },
  }
}

/** Seconds that a request waits at most, whatever it prefers. */
export const maxWaitSeconds = 60

/** The seconds of `Prefer: wait=N` (RFC 7240), at most {@link maxWaitSeconds}; null when nothing is to be waited for. */
export function preferredWait(header: string | undefined): number | null {
  const digits = /(?:^|[,;])[ \t]*wait[ \t]*=[ \t]*"?(\d{1,9})"?[ \t]*(?:$|[,;])/i.exec(header ?? '')?.[1]
  const seconds = Math.min(Number(digits ?? 0), maxWaitSeconds)
  return seconds === 0 ? null : seconds
}

export interface Work<T> {
  /** Reads the work as the answer shows it. Nothing is held between two reads. */
  readonly read: () => Promise<T>
  readonly isOver: (shown: T) => boolean
  /**
   * The work as this request has just created it; absent: it is read. So an answer that waits for nothing does not depend on how
   * fast a worker is, which would differ for ids that exist elsewhere and those that do not.
   */
  readonly created?: T
}

/** Milliseconds between reads: the first, and the longest. */
const pauses = { firstMs: 100, maxMs: 1_000 }

/**
 * The work as it is when it is over, or when the seconds that the client prefers to wait have passed. A preference is not a
 * promise: with too many waiting requests, and while the process stops, the work is shown as it is.
 */
export async function waitAsPreferred<T>(request: Request, { read, isOver, created }: Work<T>): Promise<T> {
  let shown = created ?? (await read())
  const { res: response } = request
  const seconds = preferredWait(request.get('Prefer'))
  const waiters: Waiters | undefined = request.app.locals[waitersName]
  if (seconds === null || response === undefined || waiters === undefined || isOver(shown)) return shown
  // The client may have left while the work was started.
  if (response.destroyed) return shown
  const leave = waiters.enter(workspaceOf(request) ?? 'anyone')
  if (leave === null) return shown
  const left = new AbortController()
  const onClose = () => left.abort()
  response.once('close', onClose).set('Preference-Applied', `wait=${seconds}`)
  const given = AbortSignal.any([left.signal, waiters.stopping])
  const untilMs = performance.now() + seconds * 1_000
  try {
    for (let pauseMs = pauses.firstMs; !isOver(shown) && !given.aborted; pauseMs *= 1.5) {
      const restMs = untilMs - performance.now()
      if (restMs <= 0) break
      await pauseUnlessAborted(Math.min(pauseMs, pauses.maxMs, restMs), given)
      // The work has begun, so a failed read must not make it look as if it had not.
      shown = await read().catch(() => shown)
    }
    return shown
  } finally {
    response.off('close', onClose)
    leave()
  }
}
