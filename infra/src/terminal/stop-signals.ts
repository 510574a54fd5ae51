/** Signals within this time count as one: a terminal, npm and the bootstrap each pass on the same Ctrl-C. */
const sameSignalMs = 1_000

export interface StopSignals {
  /** Resolves when `stop` has finished after the first signal. */
  readonly done: Promise<void>
  requested(): boolean
}

/** Calls `stop` on the first SIGINT, SIGTERM or SIGHUP and `hurry` on every later one. */
export function onStopSignals({ stop, hurry }: { stop: () => Promise<void>; hurry: () => void }): StopSignals {
  let lastAt: number | null = null
  const done = new Promise<void>((resolve, reject) => {
    const onSignal = () => {
      const previous = lastAt
      lastAt = performance.now()
      if (previous === null) stop().then(resolve, reject)
      else if (lastAt - previous > sameSignalMs) hurry()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
  return { done, requested: () => lastAt !== null }
}
