import type { FoundKey, KeyStore } from './key-store.ts'

export interface MemoryKeyStore extends KeyStore {
  readonly identities: Map<string, FoundKey>
  readonly lastUsedAt: Map<string, Date>
}

/** API keys in memory, by hash. */
export function memoryKeyStore(identities: Iterable<readonly [string, FoundKey]> = []): MemoryKeyStore {
  const byHash = new Map(identities)
  const lastUsedAt = new Map<string, Date>()
  return {
    identities: byHash,
    lastUsedAt,
    async find(hashes) {
      return new Map(hashes.flatMap((keyHash) => entry(byHash, keyHash)))
    },
    async recordUse(uses) {
      for (const { keyId, at } of uses) {
        const known = lastUsedAt.get(keyId)
        if (known === undefined || at > known) lastUsedAt.set(keyId, at)
      }
    },
  }
}

function entry(identities: ReadonlyMap<string, FoundKey>, keyHash: string): [string, FoundKey][] {
  const identity = identities.get(keyHash)
  return identity === undefined ? [] : [[keyHash, identity]]
}
