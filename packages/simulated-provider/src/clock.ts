/** The time of the provider: Unix milliseconds and timers, which a test can replace. */
export interface Clock {
  now(): number
  /** Runs `run` after `ms` milliseconds (0: on the next turn of the event loop); returns the cancel. */
  after(ms: number, run: () => void): () => void
}

/** Monotonic within the process, and comparable with the clocks of other processes on the machine. */
export const processClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after(ms, run) {
    if (ms <= 0) {
      const immediate = setImmediate(run)
      return () => clearImmediate(immediate)
    }
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
