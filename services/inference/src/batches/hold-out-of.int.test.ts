import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { openJobHolds } from '../training-money/job-holds.fixture.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

/** A wallet of 100, of which a batch holds 100. */
async function heldBatch() {
  const workspaceId = await database.newWallet(100n)
  const holds = openJobHolds(database)
  const named = { holdId: randomUUID(), workspaceId }
  const asked = { ...named, jobId: named.holdId, amountNano: 100n, model: 'm', kind: 'batch' } as const
  expect(await holds.hold(asked)).toMatchObject({ outcome: 'held', heldNano: 100n })
  const ledger = createPgLedger({ pool: database.pool, ownerId: randomUUID(), onEvent: () => undefined })
  const request = (amountNano: bigint, keepNano: bigint | null, billingId: string = randomUUID()) =>
    ledger.hold({
      billingId,
      workspaceId,
      amountNano,
      kind: 'chat',
      model: 'm',
      priceVersion: 'v',
      ...(keepNano === null ? {} : { from: { holdId: named.holdId, keepNano } }),
    })
  const wallet = async () => {
    const { rows } = await database.operator.query(
      `SELECT balance::int, held::int, (SELECT hold::int FROM billing_request WHERE request_id = $2) AS batch
       FROM wallet WHERE workspace_id = $1`,
      [workspaceId, named.holdId],
    )
    return rows[0]
  }
  return { workspaceId, holds, named, ledger, request, wallet }
}

it('takes the money of a request out of the hold of its batch, and nothing else can', async () => {
  const { request, wallet } = await heldBatch()
  expect(await request(10n, null)).toBe('refused')
  expect(await request(10n, 90n)).toBe('held')
  expect(await wallet()).toEqual({ balance: 100, held: 100, batch: 90 })
  expect(await request(10n, 80n)).toBe('held')
  expect(await wallet()).toEqual({ balance: 100, held: 100, batch: 80 })
})

it('frees nothing twice, and nothing for a request that is not held', async () => {
  const { request, wallet } = await heldBatch()
  const id = randomUUID()
  expect(await request(10n, 90n, id)).toBe('held')
  expect(await request(10n, 90n, id)).toBe('open')
  expect(await request(50n, 80n)).toBe('refused')
  expect(await wallet()).toEqual({ balance: 100, held: 100, batch: 90 })
})

it('charges requests, and returns the rest when the batch ends', async () => {
  const { request, wallet, ledger, holds, named, workspaceId } = await heldBatch()
  const id = randomUUID()
  await request(10n, 90n, id)
  await ledger.close({ billingId: id, workspaceId, costNano: 4n, outcome: 'posted' })
  expect(await wallet()).toEqual({ balance: 96, held: 90, batch: 90 })
  expect(await holds.release(named)).toMatchObject({ state: 'posted', jobCostNano: 0n })
  expect(await wallet()).toMatchObject({ balance: 96, held: 0 })
  expect((await auditLedger(database.operator)).violations).toEqual([])
})
