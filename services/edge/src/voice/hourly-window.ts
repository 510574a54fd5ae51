/** Requests of a voice key in one window. */
export const hourlyLimit = 1_000
export const windowSeconds = 3_600

/** The place of a request in its window. */
export interface WindowPlace {
  /** 1 for the first request of the window; refused ones have numbers too. */
  readonly number: number
  /** Unix time at which the next window begins, seconds. */
  readonly resetsAt: number
}

/** Counts requests of keys, exactly over all edges. */
export interface VoiceWindows {
  count(keyId: string): Promise<WindowPlace>
}

/**
 * Seconds after a full hour at which the windows of a key begin, so that those of all keys do not end together.
 *
 * @param keyId UUID
 */
export function windowOffset(keyId: string): number {
  return Number.parseInt(keyId.replaceAll('-', '').slice(-8), 16) % windowSeconds
}

/** Headers of every answer: how many requests the window has, how many are left, and when the next one begins. */
export function rateHeaders({ number, resetsAt }: WindowPlace): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-limit': String(hourlyLimit),
    'x-ratelimit-remaining': String(Math.max(0, hourlyLimit - number)),
    'x-ratelimit-reset': String(resetsAt),
  }
}

export function isOverLimit({ number }: WindowPlace): boolean {
  return number > hourlyLimit
}
