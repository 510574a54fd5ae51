/** A map of bounded size that evicts the least recently used entry. */
export interface RecentMap<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

/** Creates an empty map for `capacity` entries; with 0 it stores nothing. */
export function createRecentMap<V>(capacity: number): RecentMap<V> {
  const entries = new Map<string, V>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= capacity) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        return
      }
    },
  }
}
