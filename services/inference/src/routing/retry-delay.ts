import { backoff } from '@ratchet/service-kit/timing/backoff'

export interface RetryQuestion {
  /** Number of retries so far, ≥ 0. */
  readonly retries: number
  /** The provider's `Retry-After` in milliseconds; null when it sent none. */
  readonly retryAfterMs: number | null
  /** Uniform in [0, 1). */
  readonly unit: number
}

const maxRetries = 2
const firstMs = 250
const maxWaitMs = 10_000

/**
 * Milliseconds to wait before the provider is called again, or null for no retry. Exponential with full jitter. A
 * provider's `Retry-After` is honoured up to 10 s; beyond that an error now is better for the client.
 */
export function retryDelayMs({ retries, retryAfterMs, unit }: RetryQuestion): number | null {
  if (retries >= maxRetries) return null
  if (retryAfterMs !== null && retryAfterMs > maxWaitMs) return null
  const jitter = { share: 1, random: () => unit }
  return Math.max(retryAfterMs ?? 0, backoff(retries, { firstMs, maxMs: maxWaitMs, jitter }))
}
