import type { KeyIdentity } from '@ratchet/contracts/identity'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { type KeyStoreSubject, keyStoreContract } from './key-store.contract.ts'
import { memoryKeyStore } from './memory-key-store.ts'

keyStoreContract(memorySubject)

function memorySubject(): KeyStoreSubject {
  const store = memoryKeyStore()
  const newId = countingUuids()
  const replace = (identity: KeyIdentity, change: (keyHash: string) => void) => {
    for (const [keyHash, { keyId }] of store.identities) if (keyId === identity.keyId) change(keyHash)
  }
  const remove = async (identity: KeyIdentity) => replace(identity, (keyHash) => store.identities.delete(keyHash))
  return {
    store,
    async addKey(keyHash, role) {
      const identity = { keyId: newId(), userId: newId(), workspaceId: newId(), role }
      store.identities.set(keyHash, identity)
      return identity
    },
    revoke: remove,
    removeMember: remove,
    changeRole: async (identity, role) =>
      replace(identity, (keyHash) => store.identities.set(keyHash, { ...identity, role })),
    lastUsedAt: async (keyId) => store.lastUsedAt.get(keyId) ?? null,
  }
}
