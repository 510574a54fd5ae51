/** State of a process that is stopping. Readiness, replies and streams read it. */
export interface Drain {
  /** True after the stop signal: readiness fails, and replies carry `Connection: close`. */
  readonly draining: boolean
  /** Aborts when the drain begins: streams that never end of themselves end now. */
  readonly begun: AbortSignal
  /** Aborts when running requests must end now: each closes its stream with an error and settles. */
  readonly deadline: AbortSignal
  begin(): void
  expire(): void
}

export function createDrain(): Drain {
  const begun = new AbortController()
  const deadline = new AbortController()
  let draining = false
  return {
    get draining() {
      return draining
    },
    begun: begun.signal,
    deadline: deadline.signal,
    begin() {
      draining = true
      begun.abort()
    },
    expire() {
      deadline.abort()
    },
  }
}
