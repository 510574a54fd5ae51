export interface BreakerOptions {
  /** Consecutive failures after which the breaker opens. */
  readonly failures?: number
  /** Milliseconds for which it stays open. A single attempt then decides whether it closes. */
  readonly restMs?: number
  readonly now: () => Date
  readonly onOpen?: (cause: unknown) => void
  readonly onClose?: () => void
}

/** Keeps a dependency that fails or hangs from costing every request its time-out. */
export interface CircuitBreaker {
  /** True when the caller may try. It must report the outcome afterwards. */
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
