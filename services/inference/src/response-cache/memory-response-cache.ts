import { readEntry, writeEntry } from './cache-entry.ts'
import { maxCachedBodyBytes, type ResponseCache } from './response-cache.ts'

export interface MemoryResponseCache extends ResponseCache {
  readonly size: number
}

/** The cache in memory, for tests. */
export function createMemoryResponseCache({ now }: { readonly now: () => Date }): MemoryResponseCache {
  const entries = new Map<string, { readonly entry: Buffer; readonly untilMs: number }>()
  return {
    get size() {
      return entries.size
    },
    async get(key) {
      const known = entries.get(key)
      return known === undefined || known.untilMs <= now().getTime() ? null : readEntry(known.entry)
    },
    put(key, answer, ttlSeconds) {
      if (answer.body.length > maxCachedBodyBytes) return
      entries.set(key, { entry: writeEntry(answer), untilMs: now().getTime() + ttlSeconds * 1_000 })
    },
  }
}
