import type { KeyIdentity } from '@ratchet/contracts/identity'

export interface KeyUse {
  readonly keyId: string
  readonly at: Date
}

/** Stores API keys. `find` always reads the current state, never a cache. */
export interface KeyStore {
  /**
   * @param hashes SHA-256 of keys, hex, without repeats
   * @returns identities of valid keys by hash; unknown and revoked keys are absent
   */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, KeyIdentity>>
  /** Saves when keys were last used. A time older than the saved one is ignored. */
  recordUse(uses: readonly KeyUse[]): Promise<void>
}
