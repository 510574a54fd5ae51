/** Calls what must happen for every 20 ms of audio, at the right times. One pacer serves all calls of a process. */
export interface FramePacer {
  /**
   * @param onFrame called once per frame; it must not throw
   * @returns a function that ends it
   */
  add(onFrame: () => void): () => void
}

export interface PacerDeps {
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number
  /** Calls back once after a time. Returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void
  /** Notified of ticks that were more than one frame late, for a metric. */
  readonly onLate?: (lateMs: number) => void
}

/** Milliseconds of audio in a frame. */
export const frameMs = 20
/**
 * Most frames that are sent at once after a delay. What the other side holds in its jitter buffer covers them; more at once
 * would only be dropped there.
 */
const maxFramesAtOnce = 3

/**
 * A ticker with deadlines `begin + n × 20 ms`, so that delays of single ticks do not add up. After a longer stop, such as a
 * blocked event loop, it goes on from the present: listeners hear a pause, and then speech at its normal speed.
 */
export function createFramePacer({ nowMs, schedule, onLate }: PacerDeps): FramePacer {
  const listeners = new Set<() => void>()
  let nextMs = 0
  let cancel: (() => void) | null = null
  const wait = () => {
    cancel = schedule(tick, Math.max(0, nextMs - nowMs()))
  }
  const tick = () => {
    const lateMs = nowMs() - nextMs
    if (lateMs < 0) {
      wait()
      return
    }
    if (lateMs > frameMs) onLate?.(lateMs)
    const due = Math.floor(lateMs / frameMs) + 1
    nextMs = due > maxFramesAtOnce ? nowMs() + frameMs : nextMs + due * frameMs
    const count = due > maxFramesAtOnce ? 1 : due
    for (let i = 0; i < count; i++) for (const onFrame of [...listeners]) if (listeners.has(onFrame)) onFrame()
    if (listeners.size === 0) cancel = null
    else wait()
  }
  return {
    add(onFrame) {
      // The same function may be added twice.
      const listener = () => onFrame()
      listeners.add(listener)
      if (cancel === null) {
        nextMs = nowMs() + frameMs
        wait()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        cancel?.()
        cancel = null
      }
    },
  }
}
