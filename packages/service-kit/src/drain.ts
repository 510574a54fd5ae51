/** Where a process stands on its way out. Readiness, answers and streams look at it. */
export interface Drain {
  /** True once the process was told to stop: readiness fails, answers carry `Connection: close`. */
  readonly draining: boolean
  /** Aborts when running exchanges must end now: close the stream with an error, settle, go. */
  readonly deadline: AbortSignal
  begin(): void
  expire(): void
}

export function createDrain(): Drain {
  const deadline = new AbortController()
  let draining = false
  return {
    get draining() {
      return draining
    },
    deadline: deadline.signal,
    begin() {
      draining = true
    },
    expire() {
      deadline.abort()
    },
  }
}
