/** Frames that wait for an earlier one. */
const maxWaiting = 3

/** Puts numbered frames in their order. One that is missing is not waited for longer than three frames; one that comes too late is dropped. */
export function createFrameOrder<T>(take: (frame: T) => void): (number: number, frame: T) => void {
  const waiting = new Map<number, T>()
  let next: number | null = null

  function pass(): void {
    if (next === null) return
    for (;;) {
      const frame = waiting.get(next)
      if (frame === undefined) return
      waiting.delete(next)
      next += 1
      take(frame)
    }
  }

  return (number, frame) => {
    next ??= number
    if (number < next) return
    waiting.set(number, frame)
    pass()
    if (waiting.size <= maxWaiting) return
    next = Math.min(...waiting.keys())
    pass()
  }
}
