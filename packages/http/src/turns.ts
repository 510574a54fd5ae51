/** Work of many streams in one thread that also serves requests. */
export interface Turns {
  /** Runs the step once, in a later turn of the event loop. A step that waits already is not added again. */
  add(step: () => void): void
  delete(step: () => void): void
}

/** Milliseconds of each turn of the event loop, however many streams there are. */
const turnMs = 5

/** Runs waiting steps in the order in which they were added, and for some milliseconds in each turn. */
export function createTurns(): Turns {
  const waiting = new Set<() => void>()
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(run)
  }

  function run(): void {
    isScheduled = false
    const until = performance.now() + turnMs
    // A step that adds itself again is visited behind all others.
    for (const step of waiting) {
      waiting.delete(step)
      step()
      if (performance.now() >= until) break
    }
    if (waiting.size > 0) schedule()
  }

  return {
    add(step) {
      waiting.add(step)
      schedule()
    },
    delete: (step) => void waiting.delete(step),
  }
}
