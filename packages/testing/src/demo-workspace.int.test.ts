import { isWellFormedApiKey } from '@ratchet/contracts/api-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { readWallet } from '@ratchet/db/wallet-view'
import { hashApiKey } from '@ratchet/service-kit/identity/hash-api-key'
import { createDemoWorkspace } from './demo-workspace.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function identityOf(apiKey: string): Promise<unknown[]> {
  const { rows } = await pool.query(
    'SELECT workspace_id, user_id, key_id, role FROM api_key_identity WHERE hash = $1',
    [hashApiKey(apiKey)],
  )
  return rows
}

it('creates an owner with a key that the edge accepts and credit', async () => {
  const demo = await createDemoWorkspace(database.url)

  expect(isWellFormedApiKey('sk_svc_', demo.apiKey)).toBe(true)
  expect(await identityOf(demo.apiKey)).toEqual([
    { workspace_id: demo.workspaceId, user_id: demo.userId, key_id: demo.keyId, role: 'owner' },
  ])
  expect(await readWallet(pool, demo.workspaceId)).toMatchObject({ balanceNano: 10_000_000_000n })
})

it('uses the given balance, role, slug and brand word', async () => {
  const demo = await createDemoWorkspace(database.url, {
    balanceUsd: '0',
    role: 'member',
    slug: 'mine',
    brandWord: 'Acme',
  })

  expect(demo).toMatchObject({ slug: 'mine', apiKey: expect.stringMatching(/^sk_acme_/) })
  expect(await identityOf(demo.apiKey)).toMatchObject([{ role: 'member' }])
  expect(await readWallet(pool, demo.workspaceId)).toMatchObject({ balanceNano: 0n })
})

it('adds members, each with a key', async () => {
  const demo = await createDemoWorkspace(database.url)

  const admin = await demo.addMember('admin')

  expect(await identityOf(admin.apiKey)).toEqual([
    { workspace_id: demo.workspaceId, user_id: admin.userId, key_id: admin.keyId, role: 'admin' },
  ])
  expect(admin.userId).not.toBe(demo.userId)
})

it('separates workspaces', async () => {
  const [one, two] = await Promise.all([createDemoWorkspace(database.url), createDemoWorkspace(database.url)])

  expect(one.workspaceId).not.toBe(two.workspaceId)
  expect(one.slug).not.toBe(two.slug)
})
