import type { KeyIdentity } from '@ratchet/contracts/identity'

/** Identities of keys that were read, by hash. When it is full, it drops the one that was read first. */
export interface RememberedKeys {
  get(keyHash: string): KeyIdentity | undefined
  /** Counts what was dropped: a read that began before may be older than that, and is not added after it. */
  readonly drops: number
  add(keyHash: string, identity: KeyIdentity): void
  dropAll(): void
  dropUsers(userIds: ReadonlySet<string | null>): void
}

export function createRememberedKeys(maxKeys: number): RememberedKeys {
  const identities = new Map<string, KeyIdentity>()
  let drops = 0
  return {
    get: (keyHash) => identities.get(keyHash),
    get drops() {
      return drops
    },
    add(keyHash, identity) {
      identities.delete(keyHash)
      identities.set(keyHash, identity)
      if (identities.size > maxKeys) identities.delete(identities.keys().next().value as string)
    },
    dropAll() {
      identities.clear()
      drops += 1
    },
    dropUsers(userIds) {
      for (const [keyHash, { userId }] of identities) if (userIds.has(userId)) identities.delete(keyHash)
      drops += 1
    },
  }
}
