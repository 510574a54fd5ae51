import type { KeyLease } from './key-lease.ts'
import { createRecentSet } from './recent-set.ts'

/** Keys that were unknown when they were read, while no change was applied that may have made them valid. */
export interface UnknownKeys {
  has(keyHash: string, nowMs: number): boolean
  /** @param readSince what `beforeRead` of the lease returned before the read */
  add(keyHash: string, nowMs: number, readSince: number): void
}

const ttlMs = 5_000

/** Without its lease the edge hears of no changes, so that every key is read. */
export function createUnknownKeys(lease: Pick<KeyLease, 'beforeRead' | 'isValid'>, maxKeys: number): UnknownKeys {
  const recent = createRecentSet(maxKeys, ttlMs)
  let since = lease.beforeRead()
  const forgetBeforeChange = () => {
    if (since === lease.beforeRead()) return
    since = lease.beforeRead()
    recent.clear()
  }
  return {
    has(keyHash, nowMs) {
      forgetBeforeChange()
      return recent.has(keyHash, nowMs) && lease.isValid()
    },
    add(keyHash, nowMs, readSince) {
      forgetBeforeChange()
      if (readSince === since) recent.add(keyHash, nowMs)
    },
  }
}
