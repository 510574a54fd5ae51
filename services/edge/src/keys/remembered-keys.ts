import type { KeyIdentity } from '@ratchet/contracts/identity'

/** A key that was read. */
export interface RememberedKey {
  readonly identity: KeyIdentity
  /** By the wall clock; Infinity for a key that does not expire. */
  readonly expiresAtMs: number
}

/** Keys that were read, by hash. When it is full, it drops the one that was read first. */
export interface RememberedKeys {
  get(keyHash: string): RememberedKey | undefined
  /** Counts what was dropped: a read that began before may be older than that, and is not added after it. */
  readonly drops: number
  add(keyHash: string, key: RememberedKey): void
  dropAll(): void
  dropUsers(userIds: ReadonlySet<string | null>): void
}

export function createRememberedKeys(maxKeys: number): RememberedKeys {
  const keys = new Map<string, RememberedKey>()
  let drops = 0
  return {
    get: (keyHash) => keys.get(keyHash),
    get drops() {
      return drops
    },
    add(keyHash, key) {
      keys.delete(keyHash)
      keys.set(keyHash, key)
      if (keys.size > maxKeys) keys.delete(keys.keys().next().value as string)
    },
    dropAll() {
      keys.clear()
      drops += 1
    },
    dropUsers(userIds) {
      for (const [keyHash, { identity }] of keys) if (userIds.has(identity.userId)) keys.delete(keyHash)
      drops += 1
    },
  }
}
