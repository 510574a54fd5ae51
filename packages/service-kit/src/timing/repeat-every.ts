export interface RepeatOptions {
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number
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
    if (!stopped) timer = setTimeout(run, everyMs)
  }
  schedule()
  return () => {
    stopped = true
    clearTimeout(timer)
    return running
  }
}
