import { randomBytes, randomUUID } from 'node:crypto'
import type { KeyIdentity } from '@ratchet/contracts/identity'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createUser, createWorkspace, revokeApiKey, saveApiKey, setRole } from '@ratchet/db/operator'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type KeyStoreSubject, keyStoreContract } from './key-store.contract.ts'
import { pgKeyStore } from './pg-key-store.ts'

let database: FreshDatabase
let operator: ReturnType<typeof connectPrisma>
let superuser: Pool
let edgePool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPrisma({ databaseUrl: database.url, max: 2 })
  superuser = connectPool({ databaseUrl: database.url, max: 1 })
  edgePool = connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 3 })
})

afterAll(async () => {
  await operator.$disconnect()
  await Promise.all([superuser.end(), edgePool.end()])
  await database.drop()
})

keyStoreContract(subject)

function subject(): KeyStoreSubject {
  const at = new Date()
  return {
    store: pgKeyStore(edgePool),
    async addKey(keyHash, role) {
      const identity: KeyIdentity = { keyId: randomUUID(), userId: randomUUID(), workspaceId: randomUUID(), role }
      const { keyId: id, userId, workspaceId } = identity
      await createWorkspace(operator, { id: workspaceId, slug: workspaceId, name: 'w', at })
      await createUser(operator, { id: userId, email: `${userId}@example.com`, name: 'u', at })
      await setRole(operator, { workspaceId, userId, role, at })
      const hash = new Uint8Array(Buffer.from(keyHash, 'hex'))
      await saveApiKey(operator, { id, workspaceId, userId, name: 'k', hash, display: 'sk_svc_xxxxx', at })
      return identity
    },
    revoke: async ({ keyId }) => void (await revokeApiKey(operator, { id: keyId, at })),
    changeRole: ({ workspaceId, userId }, role) => setRole(operator, { workspaceId, userId, role, at }),
    removeMember: async ({ workspaceId, userId }) => {
      await superuser.query('DELETE FROM membership WHERE workspace_id = $1 AND user_id = $2', [workspaceId, userId])
    },
    async lastUsedAt(keyId) {
      const { rows } = await superuser.query('SELECT last_used_at FROM api_key_use WHERE key_id = $1', [keyId])
      return rows[0]?.last_used_at ?? null
    },
  }
}

it('finds a key until it expires, by the clock of the database', async () => {
  const { store, addKey } = subject()
  const hash = randomBytes(32).toString('hex')
  const identity = await addKey(hash, 'admin')
  const set = (text: string) =>
    superuser.query(`UPDATE api_key SET expires_at = ${text} WHERE id = $1`, [identity.keyId])
  await set("'2100-01-01'")
  expect(await store.find([hash])).toEqual(new Map([[hash, { ...identity, expiresAtMs: Date.UTC(2100, 0) }]]))
  await set('now()')
  expect(await store.find([hash])).toEqual(new Map())
})

it('finds hundreds of keys in one statement', async () => {
  const { store, addKey } = subject()
  const hash = randomBytes(32).toString('hex')
  const identity = await addKey(hash, 'admin')
  const outsiders = Array.from({ length: 199 }, () => randomBytes(32).toString('hex'))
  expect(await store.find([...outsiders, hash])).toEqual(new Map([[hash, identity]]))
})

it('rejects a read whose connection breaks, and finds keys over a new one', async () => {
  const { store, addKey } = subject()
  const hash = randomBytes(32).toString('hex')
  const identity = await addKey(hash, 'member')
  const locker = await superuser.connect()
  await locker.query('BEGIN; LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE')
  const outcome = expect(store.find([hash])).rejects.toThrow()
  await eventually(async () => {
    const { rows } = await locker.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    expect(rows).toHaveLength(1)
  })
  await outcome
  await locker.query('ROLLBACK')
  locker.release()
  expect(await store.find([hash])).toEqual(new Map([[hash, identity]]))
})

it('can read the view of keys, but not the tables behind it', async () => {
  for (const table of ['api_key', 'app_user', 'workspace', 'membership']) {
    await expect(edgePool.query(`SELECT * FROM ${table}`)).rejects.toMatchObject({ code: '42501' })
  }
  await expect(edgePool.query('DELETE FROM api_key_use')).rejects.toMatchObject({ code: '42501' })
})
