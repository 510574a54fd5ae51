import type { KeyIdentity, Role } from '@ratchet/contracts/identity'
import type { KeyStore } from './key-store.ts'

/** A store, with the writes that other processes make. */
export interface KeyStoreSubject {
  readonly store: KeyStore
  /** Creates a workspace with a user and a key with the hash `keyHash`. */
  addKey(keyHash: string, role: Role): Promise<KeyIdentity>
  revoke(identity: KeyIdentity): Promise<void>
  changeRole(identity: KeyIdentity, role: Role): Promise<void>
  removeMember(identity: KeyIdentity): Promise<void>
  lastUsedAt(keyId: string): Promise<Date | null>
}

const hashOf = (n: number) => n.toString(16).padStart(64, '0')
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

/** The behaviour of every key store. */
export function keyStoreContract(subject: () => KeyStoreSubject): void {
  it('finds the valid keys among the given hashes, and no others', async () => {
    const { store, addKey } = subject()
    const owner = await addKey(hashOf(1), 'owner')
    const member = await addKey(hashOf(2), 'member')
    await addKey(hashOf(3), 'admin')
    const found = await store.find([hashOf(1), hashOf(2), hashOf(99)])
    expect(found).toEqual(
      new Map([
        [hashOf(1), owner],
        [hashOf(2), member],
      ]),
    )
    expect(await store.find([])).toEqual(new Map())
  })

  it('applies a revocation, a role change and a removal of a member immediately', async () => {
    const { store, addKey, revoke, changeRole, removeMember } = subject()
    const identity = await addKey(hashOf(4), 'owner')
    await changeRole(identity, 'member')
    expect((await store.find([hashOf(4)])).get(hashOf(4))).toEqual({ ...identity, role: 'member' })
    await revoke(identity)
    expect(await store.find([hashOf(4)])).toEqual(new Map())
    const other = await addKey(hashOf(5), 'admin')
    await removeMember(other)
    expect(await store.find([hashOf(5)])).toEqual(new Map())
  })

  it('saves the latest use of a key, in whatever order the uses arrive', async () => {
    const { store, addKey, lastUsedAt } = subject()
    const [a, b] = [await addKey(hashOf(6), 'owner'), await addKey(hashOf(7), 'owner')]
    expect(await lastUsedAt(a.keyId)).toBeNull()
    await store.recordUse([
      { keyId: a.keyId, at: at(5) },
      { keyId: b.keyId, at: at(1) },
    ])
    await store.recordUse([
      { keyId: b.keyId, at: at(3) },
      { keyId: a.keyId, at: at(2) },
    ])
    expect(await lastUsedAt(a.keyId)).toEqual(at(5))
    expect(await lastUsedAt(b.keyId)).toEqual(at(3))
  })
}
