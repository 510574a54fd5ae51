export interface BreakerOptions {
  /** Failures in a row after which nothing is tried for a while. */
  readonly failures?: number
  /** Milliseconds of that while. One try then finds out whether to go on. */
  readonly restMs?: number
  readonly now: () => Date
  readonly onOpen?: (cause: unknown) => void
  readonly onClose?: () => void
}

/** Keeps a dependency that fails or hangs from costing every request its time-out. */
export interface CircuitBreaker {
  /** True: go on, and say afterwards how it went. */
  mayTry(): boolean
  succeeded(): void
  failed(cause: unknown): void
}

export function createCircuitBreaker({
  failures: most = 3,
  restMs = 1_000,
  now,
  onOpen,
  onClose,
}: BreakerOptions): CircuitBreaker {
  let failures = 0
  /** When it opened last; null while it is closed. */
  let openedMs: number | null = null
  let probing = false
  return {
    mayTry() {
      if (openedMs === null) return true
      if (probing || Math.abs(now().getTime() - openedMs) < restMs) return false
      probing = true
      return true
    },
    succeeded() {
      failures = 0
      probing = false
      if (openedMs === null) return
      openedMs = null
      onClose?.()
    },
    failed(cause) {
      failures += 1
      probing = false
      if (openedMs === null && failures < most) return
      const opens = openedMs === null
      openedMs = now().getTime()
      if (opens) onOpen?.(cause)
    },
  }
}
