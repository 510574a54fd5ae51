export interface BackoffDelays {
  /** Delay after the first failure, milliseconds; > 0. It doubles with each further failure. */
  readonly firstMs: number
  /** Maximum delay, milliseconds. */
  readonly maxMs: number
  /** Makes a part of the delay random, so that callers that failed together do not retry together. None by default. */
  readonly jitter?: Jitter
}

export interface Jitter {
  /** The part of the delay that is random, in [0, 1]; 1 is full jitter. */
  readonly share: number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/**
 * The delay before another attempt: exponential, with an upper limit and optional jitter.
 *
 * @param failures number of failures before the one that causes this delay, ≥ 0
 * @returns milliseconds
 */
export function backoff(failures: number, { firstMs, maxMs, jitter }: BackoffDelays): number {
  const delayMs = Math.min(firstMs * 2 ** failures, maxMs)
  return jitter === undefined ? delayMs : delayMs * (1 - jitter.share + jitter.share * jitter.random())
}
