import type { KeyStore } from '../domain/key-store.ts'
import type { EdgeEvents } from '../events.ts'

/** When keys were last used, gathered in memory and written now and then. A crash loses one interval. */
export interface KeyUseLog {
  note(keyId: string, at: Date): void
  /** Writes what was gathered; what could not be written is kept for the next time. Never rejects. */
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
