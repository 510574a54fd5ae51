export interface RepeatOptions {
  /** Milliseconds from the end of one run to the start of the next. */
  readonly everyMs: number
  readonly work: () => Promise<unknown>
  readonly onError: (error: unknown) => void
}

/** Runs `work` again and again, never twice at once. The returned stop waits for the run under way. */
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
