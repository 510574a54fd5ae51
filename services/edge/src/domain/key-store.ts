import type { Identity } from '@ratchet/contracts/identity'

export interface KeyUse {
  readonly keyId: string
  readonly at: Date
}

/** Where keys are looked up. What `find` says is true at the moment it is asked, never cached. */
export interface KeyStore {
  /**
   * @param hashes SHA-256 of keys, hex, without repeats.
   * @returns who the live ones act for, by hash; unknown and revoked ones are absent.
   */
  find(hashes: readonly string[]): Promise<ReadonlyMap<string, Identity>>
  /** Remembers when keys were last used; a time older than the one known changes nothing. */
  recordUse(uses: readonly KeyUse[]): Promise<void>
  /** Rejects when keys cannot be looked up. */
  ping(): Promise<void>
}
