/** Counts failures by address in fixed windows. When it is full, it drops the address that was counted least recently. */
export interface FailureLimiter {
  /** Whether the address has reached its limit in the current window. */
  isOver(address: string, nowMs: number): boolean
  /** Counts a failure. Returns the seconds until the window ends when it exceeds the limit, else null. */
  fail(address: string, nowMs: number): number | null
}

export interface FailureLimit {
  readonly failures: number
  readonly windowMs: number
  readonly maxAddresses: number
}

interface Window {
  startedAt: number
  failures: number
}

export function createFailureLimiter({ failures, windowMs, maxAddresses }: FailureLimit): FailureLimiter {
  const windows = new Map<string, Window>()

  function current(address: string, nowMs: number): Window | undefined {
    const window = windows.get(address)
    return window !== undefined && nowMs - window.startedAt < windowMs ? window : undefined
  }

  return {
    isOver(address, nowMs) {
      return (current(address, nowMs)?.failures ?? 0) >= failures
    },
    fail(address, nowMs) {
      const window = current(address, nowMs) ?? { startedAt: nowMs, failures: 0 }
      window.failures += 1
      windows.delete(address)
      windows.set(address, window)
      if (windows.size > maxAddresses) windows.delete(windows.keys().next().value as string)
      if (window.failures <= failures) return null
      return Math.max(1, Math.ceil((window.startedAt + windowMs - nowMs) / 1000))
    },
  }
}
