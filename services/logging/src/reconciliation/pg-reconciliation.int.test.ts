import { randomUUID } from 'node:crypto'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { expiryDay } from '../exchanges/expiry-day.ts'
import { type LogDatabase, logDatabase } from '../exchanges/log-database.fixture.ts'
import { storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { createPgFindMissing } from './pg-find-missing.ts'
import { addLostCaptures } from './pg-lost-captures.ts'
import { reconcileCharges } from './pg-reconciliation.ts'
import type { Reconciliation } from './reconciliation.ts'

let database: LogDatabase
const workspaceId = randomUUID()
const stores = () => ({ ledger: database.pool, findMissing: createPgFindMissing(database.pool) })
/** After everything that a test charges. */
const later = () => new Date(Date.now() + 60_000)
const expiresAt = new Date(Date.now() + 6 * dayMs)

beforeAll(async () => {
  database = await logDatabase()
  await database.addWorkspace(workspaceId, 7)
  await database.operator.query('INSERT INTO wallet (workspace_id) VALUES ($1)', [workspaceId])
})
afterAll(() => database.drop())

/** A posted charge with its two entries. */
async function charge(log: { requestId: string; expiresOn: string } | null): Promise<void> {
  const billingId = randomUUID()
  await database.operator.query(
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, cost, deadline, state, kind, model, price_version,
       closed_at, log_request_id, log_expires_on)
     VALUES ($1, $2, $1, 5, 5, now(), 'posted', 'chat', 'acme/fast', '1', now(), $3, $4)`,
    [billingId, workspaceId, log?.requestId, log?.expiresOn],
  )
  await database.operator.query(
    `INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
     VALUES ($1, $2, -5, 'wallet', 'usage'), ($1, $2, 5, 'usage', 'usage')`,
    [workspaceId, billingId],
  )
}

/** Charges of one block, which has one pair of entries. */
async function chargeInBlock(rows: readonly ({ requestId: string; expiresOn: string } | null)[]): Promise<void> {
  const blockId = randomUUID()
  const query = database.operator.query.bind(database.operator)
  await query(
    `INSERT INTO escrow_block (block_id, wallet_id, owner_id, amount, charged, charges, state, deadline, sealed_at)
     VALUES ($1, $2, $1, 100, 5, $3, 'booked', now(), now())`,
    [blockId, workspaceId, rows.length],
  )
  for (const row of rows) {
    await query(
      `INSERT INTO charge (request_id, wallet_id, block_id, cost, kind, model, price_version, log_request_id, log_expires_on)
       VALUES ($1, $2, $3, 5, 'chat', 'acme/fast', '1', $4, $5)`,
      [randomUUID(), workspaceId, blockId, row?.requestId, row?.expiresOn],
    )
  }
  await query(
    `INSERT INTO ledger_entry (wallet_id, block_id, amount, account, reason)
     VALUES ($1, $2, -5, 'wallet', 'usage'), ($1, $2, 5, 'usage', 'usage')`,
    [workspaceId, blockId],
  )
}

async function store(requestId: string): Promise<void> {
  await storeExchanges(database.pool, { workspaceId, at: new Date() }, [{ requestId, expiresAt }])
}

const rowOf = (requestId: string, at = expiresAt) => ({ requestId, expiresOn: expiryDay(at) })

it('finds the charges without their row, each once', async () => {
  const [stored, missing] = [randomUUID(), randomUUID()]
  await store(stored)
  await charge(rowOf(stored))
  await charge(rowOf(missing))
  await charge(null)
  expect(await reconcileCharges(stores(), later())).toEqual({
    compared: 2,
    missing: [{ workspaceId, requestId: missing }],
    isBehind: false,
  })
  expect(await reconcileCharges(stores(), later())).toEqual({ compared: 0, missing: [], isBehind: false })
})

it('finds those of blocks, also of more blocks than one call reads', async () => {
  const [stored, missing, alsoMissing] = [randomUUID(), randomUUID(), randomUUID()]
  await store(stored)
  await chargeInBlock([rowOf(stored), rowOf(missing), null])
  await chargeInBlock([null])
  await chargeInBlock([rowOf(alsoMissing)])
  const found: Reconciliation[] = []
  for (let isBehind = true; isBehind; isBehind = found.at(-1)?.isBehind === true) {
    const result = await reconcileCharges(stores(), later(), 2)
    if (result !== null) found.push(result)
  }
  expect(found.length).toBeGreaterThan(1)
  expect(found.reduce((sum, { compared }) => sum + compared, 0)).toBe(3)
  expect(found.flatMap((result) => result.missing.map(({ requestId }) => requestId))).toEqual([missing, alsoMissing])
})

it('waits with charges that are too new, and finds them later', async () => {
  const requestId = randomUUID()
  await charge(rowOf(requestId))
  expect(await reconcileCharges(stores(), new Date(Date.now() - 60_000))).toMatchObject({ compared: 0 })
  await store(requestId)
  expect(await reconcileCharges(stores(), later())).toMatchObject({ compared: 1, missing: [] })
})

it('finds rows that expire earlier than at their charge', async () => {
  const requestId = randomUUID()
  await store(requestId)
  await charge(rowOf(requestId, new Date(expiresAt.getTime() + 20 * dayMs)))
  expect(await reconcileCharges(stores(), later())).toMatchObject({ compared: 1, missing: [] })
})

it('does not look for rows that have expired', async () => {
  await charge(rowOf(randomUUID(), new Date(Date.now() - dayMs)))
  expect(await reconcileCharges(stores(), later())).toMatchObject({ compared: 0, missing: [] })
})

it('compares in one process at a time', async () => {
  await charge(rowOf(randomUUID()))
  const results = await Promise.all([1, 2, 3, 4].map(() => reconcileCharges(stores(), later())))
  expect(results.reduce((sum, result) => sum + (result?.missing.length ?? 0), 0)).toBe(1)
})

it('counts what is missing by workspace and day, so that people are told', async () => {
  const other = randomUUID()
  const missing = [workspaceId, workspaceId, other].map((id) => ({ workspaceId: id, requestId: randomUUID() }))
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour))
  await addLostCaptures(database.pool, [], at(1))
  await addLostCaptures(database.pool, missing, at(2))
  await addLostCaptures(database.pool, missing.slice(0, 1), at(3))
  await addLostCaptures(database.pool, missing.slice(0, 1), at(25))
  const { rows } = await database.operator.query(
    'SELECT workspace_id = $1 AS own, day::text, requests, found_at FROM lost_capture ORDER BY own DESC, day',
    [workspaceId],
  )
  expect(rows).toEqual([
    { own: true, day: '2026-11-20', requests: 3, found_at: at(2) },
    { own: true, day: '2026-11-21', requests: 1, found_at: at(25) },
    { own: false, day: '2026-11-20', requests: 1, found_at: at(2) },
  ])
})
