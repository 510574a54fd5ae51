import { randomUUID } from 'node:crypto'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { revokeApiKey } from '@ratchet/db/operator'
import { createDemoWorkspace, type DemoMember, type DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { pgLeaseStore } from './pg-lease-store.ts'

let database: FreshDatabase
let superuser: Pool
let pool: Pool
let operator: ReturnType<typeof connectPrisma>
let demo: DemoWorkspace
let store: ReturnType<typeof pgLeaseStore>
let notified = 0
const addMember = () => demo.addMember('member')

beforeAll(async () => {
  database = await freshDatabase()
  superuser = connectPool({ databaseUrl: database.url, max: 1 })
  operator = connectPrisma({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 1 })
  demo = await createDemoWorkspace(database.url)
})
beforeEach(() => {
  notified = 0
  store = pgLeaseStore(pool, () => {
    notified += 1
  })
})
afterEach(async () => {
  store.close()
  await superuser.query('DELETE FROM edge_lease')
})
afterAll(async () => {
  await operator.$disconnect()
  await Promise.all([superuser.end(), pool.end()])
  await database.drop()
})

/** Revokes a key without waiting, because no lease is renewed by itself here. */
const revoke = ({ keyId }: DemoMember) =>
  superuser.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])

it('joins at the newest version, and returns the users who changed since the acknowledged one', async () => {
  const [early, first, second] = [await addMember(), await addMember(), await addMember()]
  await revoke(early)
  const id = randomUUID()
  const { version, userIds } = await store.join(id)
  expect(userIds).toEqual([])
  expect(await store.renew(id, version)).toEqual({ version, oldestVersion: 1, userIds: [] })
  await revoke(first)
  await revoke(second)
  const renewed = await store.renew(id, version)
  expect(renewed).toMatchObject({ version: version + 2, oldestVersion: 1 })
  expect(renewed?.userIds.toSorted()).toEqual([first.userId, second.userId].toSorted())
})

it('acknowledges, so that commands do not wait any more', async () => {
  const { keyId } = await addMember()
  const id = randomUUID()
  const { version } = await store.join(id)
  let hasReturned = false
  const revoking = revokeApiKey(operator, { id: keyId, at: new Date() }).then(() => {
    hasReturned = true
  })
  await eventually(async () => expect(await store.renew(id, version)).toMatchObject({ version: version + 1 }))
  expect(hasReturned).toBe(false)
  await store.renew(id, version + 1)
  await revoking
})

it('does not renew a lease whose row is gone, or that belongs to another timeline', async () => {
  const [gone, foreign] = [randomUUID(), randomUUID()]
  const { version } = await store.join(gone)
  await store.join(foreign)
  await superuser.query('DELETE FROM edge_lease WHERE id = $1', [gone])
  await superuser.query("UPDATE edge_lease SET timeline = '0000FFFF' WHERE id = $1", [foreign])
  expect([await store.renew(gone, version), await store.renew(foreign, version)]).toEqual([null, null])
})

it('does not wait for the disk when it renews', async () => {
  const flushed = async () => {
    const { rows } = await superuser.query('SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn AS is', [
      (await superuser.query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0]?.lsn,
    ])
    return rows[0]?.is
  }
  const id = randomUUID()
  const { version } = await store.join(id)
  let late = 0
  for (let renewal = 0; renewal < 50; renewal++) {
    await store.renew(id, version)
    if (!(await flushed())) late += 1
  }
  expect(late).toBeGreaterThan(0)
})

it('reports notifications and broken connections, and works after them', async () => {
  const [first, second] = [await addMember(), await addMember()]
  const id = randomUUID()
  const { version } = await store.join(id)
  await revoke(first)
  await eventually(() => notified === 1)
  await superuser.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE '%edge_lease%' AND pid <> pg_backend_pid()`,
  )
  await eventually(() => notified === 2)
  await eventually(async () => expect(await store.renew(id, version)).toMatchObject({ version: version + 1 }))
  await revoke(second)
  await eventually(() => notified === 3)
})

it('deletes its lease', async () => {
  const id = randomUUID()
  await store.join(id)
  await store.leave(id)
  expect((await superuser.query('SELECT 1 FROM edge_lease')).rows).toEqual([])
})
