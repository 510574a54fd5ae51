/** Counts the attempts of each request, by the name of its bytes. */
export interface Attempts {
  /** Counts one more attempt and returns its number, from 1. */
  next(name: string): number
  clear(): void
}

/** @param capacity number of names in memory, ≥ 1; beyond it the oldest is deleted */
export function createAttempts(capacity: number): Attempts {
  const counts = new Map<string, number>()
  return {
    next(name) {
      const attempt = (counts.get(name) ?? 0) + 1
      counts.set(name, attempt)
      const [oldest] = counts.keys()
      if (counts.size > capacity && oldest !== undefined) counts.delete(oldest)
      return attempt
    },
    clear: () => counts.clear(),
  }
}
