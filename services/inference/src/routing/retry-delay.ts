export interface RetryQuestion {
  /** Retries made so far, ≥ 0. */
  readonly retries: number
  /** What the provider asked for, milliseconds; null when it did not. */
  readonly retryAfterMs: number | null
  /** Uniform in [0, 1). */
  readonly unit: number
}

const maxRetries = 2
const baseMs = 250
const longestWaitMs = 10_000

/**
 * How long to wait before trying the provider again, milliseconds, or null for not at all.
 * Exponential with full jitter; a provider's `Retry-After` is honoured up to 10 s, beyond which the
 * caller is better served by an answer now.
 */
export function retryDelayMs({ retries, retryAfterMs, unit }: RetryQuestion): number | null {
  if (retries >= maxRetries) return null
  if (retryAfterMs !== null && retryAfterMs > longestWaitMs) return null
  return Math.max(retryAfterMs ?? 0, unit * baseMs * 2 ** retries)
}
