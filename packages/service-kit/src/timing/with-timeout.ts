/** Time of the last answer from the other side, on the clock of `performance.now()`. */
export interface Heartbeat {
  readonly lastBeatMs: number
  beat(): void
}

export interface Deadline {
  /** Maximum time without any answer from the other side to any caller, milliseconds. */
  readonly silenceMs: number
  /** Maximum time for this answer while the other side still answers others, milliseconds. */
  readonly maxMs: number
  readonly pulse: Heartbeat
  readonly onLate: (waitedMs: number) => Error
}

export function createHeartbeat(): Heartbeat {
  let lastBeatMs = Number.NEGATIVE_INFINITY
  return {
    get lastBeatMs() {
      return lastBeatMs
    },
    beat() {
      lastBeatMs = performance.now()
    },
  }
}

/**
 * Resolves with the work's result, or rejects when the other side counts as unavailable: it answered no caller for
 * `silenceMs`, or this took longer than `maxMs` while it answers others. So a frozen database is noticed quickly, while a
 * busy one has more time. The work itself is not stopped.
 *
 * The time is checked after pending network events: a process that was itself blocked first reads the answers
 * that arrived meanwhile, and does not mistake its own delay for a delay of the other side.
 */
export function withTimeout<T>(work: Promise<T>, { silenceMs, maxMs, pulse, onLate }: Deadline): Promise<T> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let timer = setTimeout(afterTheNetwork, Math.min(silenceMs, maxMs))

    function afterTheNetwork(): void {
      setImmediate(judge)
    }

    function judge(): void {
      const silentSince = Math.max(startedAt, pulse.lastBeatMs)
      const restMs = Math.min(silentSince + silenceMs, startedAt + maxMs) - performance.now()
      if (restMs > 0) timer = setTimeout(afterTheNetwork, restMs)
      else reject(onLate(performance.now() - startedAt))
    }

    work.then(
      (outcome) => {
        clearTimeout(timer)
        resolve(outcome)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
