/** Counts how often each request was tried, by the name of its bytes. */
export interface Attempts {
  /** Counts one more attempt and returns which one it is, from 1. */
  next(name: string): number
  clear(): void
}

/** @param capacity names remembered, ≥ 1; the one first seen longest ago is forgotten first */
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
