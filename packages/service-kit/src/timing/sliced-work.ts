import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long computations that share one thread with requests. */
export interface SlicedWork {
  /** Runs the steps to their end and resolves with what they return; rejects with what they throw. */
  run<T>(steps: Generator<void, T>): Promise<T>
}

export interface SlicedWorkOptions {
  /** Milliseconds of computing before other work gets the turn. A step that takes longer is not interrupted. */
  readonly sliceMs?: number
  /** Milliseconds, monotonic. */
  readonly elapsed?: () => number
}

/** Advances one computation by a slice. True when it has ended. */
type Advance = () => boolean

/**
 * Runs computations in slices, those that wait by turns, and one slice in each turn of the event loop however many there are:
 * separate loops of several computations would take one slice each before the next request is read.
 */
export function createSlicedWork({
  sliceMs = 5,
  elapsed = () => performance.now(),
}: SlicedWorkOptions = {}): SlicedWork {
  const waiting: Advance[] = []
  let isRunning = false

  async function runAll(): Promise<void> {
    isRunning = true
    for (;;) {
      await nextTurn()
      const advance = waiting.shift()
      if (advance === undefined) break
      if (!advance()) waiting.push(advance)
    }
    isRunning = false
  }

  return {
    run: (steps) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          const startedAt = elapsed()
          try {
            do {
              const step = steps.next()
              if (step.done !== true) continue
              resolve(step.value)
              return true
            } while (elapsed() - startedAt < sliceMs)
          } catch (error) {
            reject(error)
            return true
          }
          return false
        })
        if (!isRunning) void runAll()
      }),
  }
}
