import type { KeyIdentity } from '@ratchet/contracts/identity'

export interface KeyUse {
  readonly keyId: string
  readonly at: Date
}

/** The identity of a key, and when it expires; absent for a key that does not. */
export type FoundKey = KeyIdentity & { readonly expiresAtMs?: number }

/** Stores API keys. `find` always reads the current state, never a cache. */
export interface KeyStore {
  /**
   * @param hashes SHA-256 of keys, hex, without repeats
   * @returns identities of valid keys by hash; unknown, revoked and expired keys are absent
   */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, FoundKey>>
  /** Saves when keys were last used. A time older than the saved one is ignored. */
  recordUse(uses: readonly KeyUse[]): Promise<void>
}
