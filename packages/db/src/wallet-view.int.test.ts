import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { topUp } from './top-up.ts'
import { readWallet } from './wallet-view.ts'

let database: FreshDatabase
let pool: Pool
const workspaceId = '00000000-0000-7000-8000-000000000001'

beforeEach(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 2 })
  await pool.query("INSERT INTO workspace VALUES ($1, 'w', 'W', now())", [workspaceId])
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

async function open(count: number): Promise<void> {
  await pool.query(
    `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, opened_at, state, kind, model, price_version)
     SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, gen_random_uuid(), n, now(),
       '2026-11-21T12:00:00Z'::timestamptz + n * interval '1 second', 'open', 'chat', 'sim/echo', 'v'
     FROM generate_series(1, $2) AS n`,
    [workspaceId, count],
  )
  await pool.query('UPDATE wallet SET held = (SELECT sum(hold) FROM billing_request)')
}

it('shows a workspace that was never credited as empty', async () => {
  expect(await readWallet(pool, workspaceId)).toEqual({
    balanceNano: 0n,
    heldNano: 0n,
    inBlocksNano: 0n,
    openCount: 0,
    openHolds: [],
  })
})

it('shows a credited wallet without holds', async () => {
  await topUp(pool, { workspaceId, amountNano: 7n, reference: 'r' })

  expect(await readWallet(pool, workspaceId)).toEqual({
    balanceNano: 7n,
    heldNano: 0n,
    inBlocksNano: 0n,
    openCount: 0,
    openHolds: [],
  })
})

it('shows open holds, oldest first, and no closed ones', async () => {
  await topUp(pool, { workspaceId, amountNano: 100n, reference: 'r' })
  await open(3)
  await pool.query("UPDATE billing_request SET state = 'posted', cost = 1 WHERE hold = 2")

  expect(await readWallet(pool, workspaceId)).toEqual({
    balanceNano: 100n,
    heldNano: 6n,
    inBlocksNano: 0n,
    openCount: 2,
    openHolds: [
      {
        billingId: '00000000-0000-7000-8000-000000000001',
        holdNano: 1n,
        model: 'sim/echo',
        openedAt: new Date('2026-11-21T12:00:01.000Z'),
      },
      {
        billingId: '00000000-0000-7000-8000-000000000003',
        holdNano: 3n,
        model: 'sim/echo',
        openedAt: new Date('2026-11-21T12:00:03.000Z'),
      },
    ],
  })
})

it('counts the charges of blocks that are not booked as paid, and what is left of them as held', async () => {
  await topUp(pool, { workspaceId, amountNano: 1_000n, reference: 'r' })
  await open(2)
  await pool.query('UPDATE wallet SET held = held + 500')
  await pool.query(
    `INSERT INTO escrow_block (block_id, wallet_id, owner_id, amount, charged, charges, state, deadline, sealed_at)
     SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, gen_random_uuid(), 100 * n,
       CASE n WHEN 1 THEN 7 END, CASE n WHEN 1 THEN 1 END,
       (ARRAY['booked', 'sealed', 'open'])[n]::block_state, now(), CASE WHEN n < 3 THEN now() END
     FROM generate_series(1, 3) AS n`,
    [workspaceId],
  )
  await pool.query(
    `INSERT INTO charge (request_id, wallet_id, block_id, cost, kind, model, price_version)
     SELECT gen_random_uuid(), wallet_id, block_id, 7, 'chat', 'sim/echo', 'v' FROM escrow_block`,
  )
  expect(await readWallet(pool, workspaceId)).toMatchObject({
    balanceNano: 986n,
    heldNano: 489n,
    inBlocksNano: 486n,
    openCount: 2,
  })
})

it('counts all open holds but lists the 20 oldest', async () => {
  await topUp(pool, { workspaceId, amountNano: 1_000n, reference: 'r' })
  await open(30)

  const view = await readWallet(pool, workspaceId)

  expect(view.openCount).toBe(30)
  expect(view.openHolds.map(({ holdNano }) => holdNano)).toEqual(Array.from({ length: 20 }, (_, i) => BigInt(i + 1)))
})
