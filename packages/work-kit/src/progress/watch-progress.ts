/** Liveness of work rather than of a process: a worker whose process runs but that does nothing is stuck. */
export interface ProgressWatch {
  /** Called when something was done, or when there is nothing to do. */
  readonly onProgress: () => void
  /**
   * Wraps an error handler of a dependency: records that nothing can be done while the dependency is unavailable, and
   * passes the error on.
   */
  readonly whileUnavailable: <Heard extends unknown[]>(report: (...heard: Heard) => void) => (...heard: Heard) => void
  /** Readiness check: work gets done. @throws Error when nothing was done for too long */
  readonly check: () => Promise<void>
  /**
   * Liveness check. It allows more time than readiness, and a worker whose dependencies are unavailable is not
   * restarted. @throws Error when neither progress nor an unavailable dependency was recorded for too long
   */
  readonly checkLife: () => Promise<void>
}

export interface ProgressLimits {
  /** Milliseconds without progress after which a worker counts as stuck. */
  readonly stuckAfterMs?: number
  /** Milliseconds without any event after which it is restarted; longer than the longest piece of work. */
  readonly deadAfterMs?: number
}

export function watchProgress(
  now: () => Date,
  { stuckAfterMs = 300_000, deadAfterMs = 900_000 }: ProgressLimits = {},
): ProgressWatch {
  let lastDoneMs = now().getTime()
  let lastAwayMs = lastDoneMs
  const requireWithin = (limitMs: number, lastMs: number) => {
    const idleMs = now().getTime() - lastMs
    if (idleMs > limitMs) throw new Error(`no progress for ${idleMs} ms while work waits`)
  }
  return {
    onProgress() {
      lastDoneMs = now().getTime()
    },
    whileUnavailable(report) {
      return (...heard) => {
        lastAwayMs = now().getTime()
        report(...heard)
      }
    },
    check: async () => requireWithin(stuckAfterMs, lastDoneMs),
    checkLife: async () => requireWithin(deadAfterMs, Math.max(lastDoneMs, lastAwayMs)),
  }
}
