import type { WorkChanges } from './work-changes.ts'

export interface PollOptions {
  /** Interval between searches while there is work, milliseconds. */
  readonly everyMs: number
  /** Resolves with how much work was found. */
  readonly work: () => Promise<number>
  readonly onError: (error: unknown) => void
  readonly changes: WorkChanges
  readonly quiet?: QuietPace
}

/** How searches become rare, milliseconds. */
export interface QuietPace {
  /** Time without work after which searches become rare. */
  readonly afterMs: number
  readonly everyMs: number
}

/** Work that is due later, such as another attempt or the end of a lease, is mostly due within a minute of the last. */
const usualPace: QuietPace = { afterMs: 60_000, everyMs: 30_000 }

/** For work of which not each change is announced: it is found within seconds also after a quiet time. */
export const shortPace: QuietPace = { afterMs: 10_000, everyMs: 5_000 }

/**
 * Searches for work again and again, never concurrently. After a minute without work it searches every 30 seconds, and
 * at once when a change is announced. The returned function ends this, and resolves when a search in progress has ended.
 */
export function pollForWork({ everyMs, work, onError, changes, quiet = usualPace }: PollOptions): () => Promise<void> {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let lastWorkMs = performance.now()

  const isQuiet = () => changes.isListening() && performance.now() - lastWorkMs > quiet.afterMs
  const schedule = () => {
    if (!isStopped) timer = setTimeout(search, isQuiet() ? Math.max(everyMs, quiet.everyMs) : everyMs)
  }
  const search = () => {
    running = work()
      .then((found) => {
        if (found > 0) noteWork()
      })
      .catch(onError)
      .finally(() => {
        running = null
        schedule()
      })
  }
  const noteWork = () => {
    const wasQuiet = isQuiet()
    lastWorkMs = performance.now()
    if (!wasQuiet || isStopped || running !== null) return
    clearTimeout(timer)
    search()
  }
  changes.onChange(noteWork)
  schedule()
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await running
  }
}
