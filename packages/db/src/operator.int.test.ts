import { countingUuids } from '@ratchet/testing/counting-ids'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { connectPool, type Pool } from './connect-pool.ts'
import {
  createUser,
  createWorkspace,
  findUser,
  findWorkspace,
  listApiKeys,
  revokeApiKey,
  saveApiKey,
  setRole,
} from './operator.ts'
import type { IdentityDb } from './ownership.ts'

const at = new Date('2026-11-21T12:00:00.000Z')
const newId = countingUuids()

let database: FreshDatabase
let db: IdentityDb
let edge: Pool

beforeAll(async () => {
  database = await freshDatabase()
  db = connectPrisma({ databaseUrl: database.url, max: 2 })
  edge = connectPool({ databaseUrl: database.url, max: 1, role: 'ratchet_edge' })
})
afterAll(async () => {
  await db.$disconnect()
  await edge.end()
  await database.drop()
})

/** A member with a key, and what the edge reads of that key. */
async function member(role: 'owner' | 'admin' | 'member') {
  const workspace = await createWorkspace(db, { id: newId(), slug: newId(), name: 'W', at })
  const user = await createUser(db, { id: newId(), email: `${newId()}@example.com`, name: 'U', at })
  await setRole(db, { workspaceId: workspace.id, userId: user.id, role, at })
  const keyId = newId()
  const hash = new Uint8Array(32)
  hash.set(Buffer.from(keyId.replaceAll('-', '')))
  await saveApiKey(db, {
    id: keyId,
    workspaceId: workspace.id,
    userId: user.id,
    name: 'k',
    hash,
    display: 'sk_svc_abcde',
    at,
  })
  const seen = async () =>
    (await edge.query('SELECT * FROM api_key_identity WHERE hash = ANY($1)', [[Buffer.from(hash)]])).rows
  return { workspaceId: workspace.id, userId: user.id, keyId, hash, seen }
}

it('shows the edge a valid key with the current role of its user', async () => {
  const { workspaceId, userId, keyId, hash, seen } = await member('member')

  expect(await seen()).toEqual([
    {
      hash: Buffer.from(hash),
      key_id: keyId,
      workspace_id: workspaceId,
      user_id: userId,
      role: 'member',
      expires_at: null,
    },
  ])
})

it('changes the role of a key when its user changes roles', async () => {
  const { workspaceId, userId, seen } = await member('member')

  await setRole(db, { workspaceId, userId, role: 'admin', at })

  expect(await seen()).toMatchObject([{ role: 'admin' }])
})

it('hides a revoked key permanently', async () => {
  const { keyId, workspaceId, seen } = await member('owner')

  expect(await revokeApiKey(db, { id: keyId, at })).toBe(true)

  expect(await seen()).toEqual([])
  expect(await revokeApiKey(db, { id: keyId, at: new Date('2030-01-01') })).toBe(false)
  expect(await listApiKeys(db, workspaceId)).toMatchObject([{ id: keyId, revokedAt: at }])
})

it('hides the keys of a user who left the workspace', async () => {
  const { workspaceId, userId, seen } = await member('admin')

  await db.membership.delete({ where: { workspaceId_userId: { workspaceId, userId } } })

  expect(await seen()).toEqual([])
})

it('distinguishes keys of the same user in two workspaces', async () => {
  const { userId } = await member('owner')
  const other = await createWorkspace(db, { id: newId(), slug: newId(), name: 'Other', at })
  await setRole(db, { workspaceId: other.id, userId, role: 'member', at })
  const hash = new Uint8Array(32).fill(7)

  await saveApiKey(db, { id: newId(), workspaceId: other.id, userId, name: 'k', hash, display: 'd', at })

  const { rows } = await edge.query('SELECT role, workspace_id FROM api_key_identity WHERE hash = $1', [
    Buffer.from(hash),
  ])
  expect(rows).toEqual([{ role: 'member', workspace_id: other.id }])
})

it('refuses a second key with the same hash', async () => {
  const { workspaceId, userId, hash } = await member('owner')

  await expect(
    saveApiKey(db, { id: newId(), workspaceId, userId, name: 'k', hash, display: 'd', at }),
  ).rejects.toMatchObject({ code: 'P2002' })
})

it('returns an existing user or workspace instead of creating another', async () => {
  const workspace = await createWorkspace(db, { id: newId(), slug: 'same', name: 'First', at })
  const user = await createUser(db, { id: newId(), email: 'same@example.com', name: 'First', at })

  expect(await createWorkspace(db, { id: newId(), slug: 'same', name: 'Second', at })).toEqual(workspace)
  expect(await createUser(db, { id: newId(), email: 'same@example.com', name: 'Second', at })).toEqual(user)
  expect(await findWorkspace(db, 'same')).toEqual({ id: workspace.id, slug: 'same', name: 'First', ledger: 'main' })
  expect(await findUser(db, 'same@example.com')).toEqual({ id: user.id, name: 'First' })
  expect(await findWorkspace(db, 'other')).toBeNull()
  expect(await findUser(db, 'other@example.com')).toBeNull()
})
