export interface RepeatOptions {
  /**
   * Milliseconds from the end of one run to the start of the next, or a function that is asked after each run. From a
   * second on, runs start at whole seconds of the process: they come up to half a second early or late.
   */
  readonly everyMs: number | (() => number)
  readonly work: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Runs `work` repeatedly, never concurrently. The returned stop function waits for the current run. */
export function repeatEvery({ everyMs, work, onError }: RepeatOptions): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const run = () => {
    running = work().then(() => undefined, onError)
    void running.then(schedule)
  }
  const schedule = () => {
    if (!stopped) timer = setTimeout(run, delayOf(typeof everyMs === 'number' ? everyMs : everyMs(), performance.now()))
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
    return running
  }
}

const secondMs = 1_000

/**
 * All work of a process that is due in the same second starts together, so that an idle process wakes rarely.
 *
 * @param nowMs milliseconds on the clock of the process, whose seconds count
 * @returns milliseconds until the next start
 */
export function delayOf(everyMs: number, nowMs: number): number {
  return everyMs < secondMs ? everyMs : Math.round((nowMs + everyMs) / secondMs) * secondMs - nowMs
}
