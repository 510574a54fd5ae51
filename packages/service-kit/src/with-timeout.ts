/** When the other side last answered anything, on the clock of `performance.now()`. */
export interface Heartbeat {
  readonly lastBeatMs: number
  beat(): void
}

export interface Deadline {
  /** How long the other side may say nothing at all, to anybody, milliseconds. */
  readonly silenceMs: number
  /** How long an answer may take from a side that is alive, milliseconds. */
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
 * The work's outcome, or a rejection once the other side counts as gone: silent for `silenceMs`, or alive
 * but longer than `maxMs` about this. So a frozen database is noticed at once, while a busy one that
 * still answers is waited for. The work itself is not stopped.
 *
 * Time is judged after a look at the network: a process that was itself kept from running finds the
 * answers that came meanwhile, and does not take its own delay for the other side's.
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
