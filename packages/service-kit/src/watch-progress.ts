/** Liveness of work rather than of a process: a worker that looks well but does nothing is stuck. */
export interface ProgressWatch {
  /** Says that something was done, or that there is nothing to do. */
  readonly onProgress: () => void
  /** A check of readiness. @throws Error when nothing was done for too long */
  readonly check: () => Promise<void>
}

/** With work waiting and nothing done for so long a worker counts as stuck. */
const stuckAfterMs = 300_000

export function watchProgress(now: () => Date): ProgressWatch {
  let lastMs = now().getTime()
  return {
    onProgress() {
      lastMs = now().getTime()
    },
    async check() {
      const idleMs = now().getTime() - lastMs
      if (idleMs > stuckAfterMs) throw new Error(`no progress for ${idleMs} ms while work waits`)
    },
  }
}
