/** Liveness of work rather than of a process: a worker that looks well but does nothing is stuck. */
export interface ProgressWatch {
  /** Says that something was done, or that there is nothing to do. */
  readonly onProgress: () => void
  /**
   * Says that nothing can be done, because something that the work needs is away; hands `tell` on what was heard. Wrap
   * what hears of a database or a queue that does not answer.
   */
  readonly whileUnavailable: <Heard extends unknown[]>(report: (...heard: Heard) => void) => (...heard: Heard) => void
  /** A check of readiness: work gets done. @throws Error when nothing was done for too long */
  readonly check: () => Promise<void>
  /**
   * A check of life: a restart would not help. It is longer-suffering than readiness, and a worker that hears that
   * others are away is not the one to restart. @throws Error when nothing at all was heard of the work for too long
   */
  readonly checkLife: () => Promise<void>
}

export interface ProgressLimits {
  /** Milliseconds without anything done after which a worker counts as stuck. */
  readonly stuckAfterMs?: number
  /** Milliseconds without a sign of life after which it is to be restarted; longer than the longest piece of work. */
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
