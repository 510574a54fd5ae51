import { randomUUID } from 'node:crypto'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgLedger } from './pg-ledger.ts'
import { beat, retire } from './pg-ledger-owner.ts'
import { sweepLedger } from './pg-ledger-sweeper.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.operator.query(
    "DELETE FROM ledger_owner; UPDATE billing_request SET deadline = 'infinity' WHERE state = 'open'",
  )
})

const day = 86_400_000
const onEvent = () => undefined

async function sweep(options: { everyMs?: number; missedSweeps?: number; abandonedAfterMs?: number } = {}) {
  // The ledger rounds times to milliseconds: a sweep in the same millisecond as the heartbeat would not count.
  await database.pool.query('SELECT pg_sleep(0.002)')
  return sweepLedger({ pool: database.pool, onEvent, everyMs: 0, missedSweeps: 3, abandonedAfterMs: day, ...options })
}

/** A hold of 100 in a wallet of 1 000, by an owner with a fresh heartbeat, `ttlMs` before its deadline. */
async function heldBy({ ownerId = randomUUID(), ttlMs = -1_000 } = {}) {
  const { pool } = database
  await beat({ pool, ownerId })
  const store = createPgLedger({ pool, ownerId, onEvent, holdTtlMs: ttlMs })
  const [workspaceId, billingId] = [await database.newWallet(1_000n), randomUUID()]
  await store.hold({ billingId, workspaceId, amountNano: 100n, kind: 'chat', model: 'sim/large', priceVersion: '1' })
  return { store, ownerId, workspaceId, billingId }
}

it('closes the expired hold of an owner when it has missed enough sweeps, not before', async () => {
  await heldBy()
  expect([await sweep(), await sweep(), await sweep()]).toEqual([0, 0, 1])
})

it('counts anew after every heartbeat', async () => {
  const { ownerId } = await heldBy()
  await sweep()
  await sweep()
  await beat({ pool: database.pool, ownerId })
  expect([await sweep(), await sweep(), await sweep()]).toEqual([0, 0, 1])
})

it('counts once per interval, however many processes sweep', async () => {
  await heldBy()
  const swept = await Promise.all(Array.from({ length: 8 }, () => sweep({ everyMs: 60_000, missedSweeps: 1 })))
  expect(swept).toEqual(Array.from({ length: 8 }, () => 0))
})

it('does not close a hold before its deadline, even when its owner ended', async () => {
  const { ownerId } = await heldBy({ ttlMs: 60_000 })
  await retire({ pool: database.pool, ownerId })
  expect(await sweep()).toBe(0)
})

it('does not wait for missed sweeps of an owner that ended', async () => {
  const { ownerId } = await heldBy()
  await retire({ pool: database.pool, ownerId })
  expect(await sweep()).toBe(1)
})

it('closes a hold far past its deadline, also when its owner runs', async () => {
  await heldBy({ ttlMs: -5_000 })
  expect(await sweep({ abandonedAfterMs: 60_000 })).toBe(0)
  expect(await sweep({ abandonedAfterMs: 4_000 })).toBe(1)
})

it('is delayed by a checkpoint, which extends the deadline', async () => {
  const { ownerId, billingId } = await heldBy()
  const { store } = await heldBy({ ownerId, ttlMs: 60_000 })
  store.checkpoint({ billingId, costNano: 10n })
  await store.idle()
  await retire({ pool: database.pool, ownerId })
  expect(await sweep()).toBe(0)
})

it('closes each hold once when many processes sweep at once', async () => {
  const { workspaceId, ownerId } = await heldBy()
  await retire({ pool: database.pool, ownerId })
  const swept = await Promise.all(Array.from({ length: 8 }, () => sweep()))
  expect(swept.reduce((sum, count) => sum + count)).toBe(1)
  expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 0n })
})

it('closes more holds than fit into one statement', async () => {
  const { store, workspaceId, ownerId } = await heldBy()
  const holds = Array.from({ length: 1_100 }, () =>
    store.hold({ billingId: randomUUID(), workspaceId, amountNano: 0n, kind: 'chat', model: 'm', priceVersion: '1' }),
  )
  await Promise.all(holds)
  await retire({ pool: database.pool, ownerId })
  expect(await sweep()).toBe(1_101)
})
