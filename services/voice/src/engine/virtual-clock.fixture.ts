/** A clock that stands still until it is run, with timers that fire in the order of their times. */
export interface VirtualClock {
  nowMs(): number
  schedule(callback: () => void, delayMs: number): () => void
  /** Runs all timers until a time, or until `isDone`. */
  runUntil(endMs: number, isDone?: () => boolean): void
}

interface Timer {
  readonly atMs: number
  readonly order: number
  readonly callback: () => void
}

export function createVirtualClock(): VirtualClock {
  let now = 0
  let order = 0
  const timers = new Set<Timer>()
  const next = () => {
    let first: Timer | undefined
    for (const timer of timers) {
      const isEarlier = first === undefined || timer.atMs < first.atMs
      if (isEarlier || (timer.atMs === first?.atMs && timer.order < first.order)) first = timer
    }
    return first
  }
  return {
    nowMs: () => now,
    schedule(callback, delayMs) {
      const timer = { atMs: now + Math.max(0, delayMs), order: order++, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    runUntil(endMs, isDone = () => false) {
      for (let timer = next(); timer !== undefined && timer.atMs <= endMs && !isDone(); timer = next()) {
        timers.delete(timer)
        now = timer.atMs
        timer.callback()
      }
      if (!isDone()) now = Math.max(now, endMs)
    },
  }
}
