import type { EdgeEvents } from '../events.ts'
import type { KeyStore } from './key-store.ts'

/** Collects in memory when keys were last used, and writes it periodically. A crash loses one interval. */
export interface KeyUseLog {
  note(keyId: string, at: Date): void
  /** Writes what was collected. What could not be written is retried by the next flush. Never rejects. */
  flush(): Promise<void>
}

export function createKeyUseLog(store: Pick<KeyStore, 'recordUse'>, events: EdgeEvents): KeyUseLog {
  let lastUsedAt = new Map<string, Date>()
  return {
    note: (keyId, at) => void lastUsedAt.set(keyId, at),
    async flush() {
      if (lastUsedAt.size === 0) return
      const writing = lastUsedAt
      lastUsedAt = new Map()
      try {
        await store.recordUse([...writing].map(([keyId, at]) => ({ keyId, at })))
      } catch (cause) {
        lastUsedAt = new Map([...writing, ...lastUsedAt])
        events.keyUseLost(cause)
      }
    },
  }
}
