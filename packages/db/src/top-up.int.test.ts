import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { ReferenceTaken, topUp } from './top-up.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 8 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function workspace(): Promise<string> {
  const { rows } = await pool.query(
    "INSERT INTO workspace SELECT id, id::text, 'W', now() FROM gen_random_uuid() AS id RETURNING id",
  )
  return rows[0].id
}

async function entries(workspaceId: string): Promise<unknown[]> {
  const { rows } = await pool.query(
    'SELECT account, amount, reason, external_ref, note, request_id FROM ledger_entry WHERE wallet_id = $1 ORDER BY id',
    [workspaceId],
  )
  return rows
}

async function wallet(workspaceId: string): Promise<unknown> {
  const { rows } = await pool.query('SELECT balance, held, version FROM wallet WHERE workspace_id = $1', [workspaceId])
  return rows[0]
}

it('opens the wallet and writes two entries that sum to 0', async () => {
  const workspaceId = await workspace()

  const answer = await topUp(pool, {
    workspaceId,
    amountNano: 25_000_000_000n,
    reference: 'inv-1',
    reason: 'contract 7',
  })

  expect(answer).toEqual({ balanceNano: 25_000_000_000n, credited: true })
  expect(await wallet(workspaceId)).toEqual({ balance: '25000000000', held: '0', version: '1' })
  const common = { reason: 'top_up', external_ref: 'inv-1', note: 'contract 7', request_id: null }
  expect(await entries(workspaceId)).toEqual([
    { account: 'wallet', amount: '25000000000', ...common },
    { account: 'funding', amount: '-25000000000', ...common },
  ])
})

it('adds to the balance and does not change the held amount', async () => {
  const workspaceId = await workspace()
  await topUp(pool, { workspaceId, amountNano: 100n, reference: `${workspaceId}-1` })
  await pool.query('UPDATE wallet SET held = 60 WHERE workspace_id = $1', [workspaceId])

  const answer = await topUp(pool, { workspaceId, amountNano: 11n, reference: `${workspaceId}-2` })

  expect(answer).toEqual({ balanceNano: 111n, credited: true })
  expect(await wallet(workspaceId)).toEqual({ balance: '111', held: '60', version: '2' })
})

it('credits the same reference once, also from eight connections at once', async () => {
  const workspaceId = await workspace()
  const same = { workspaceId, amountNano: 5n, reference: `${workspaceId}-inv` }

  const answers = await Promise.all(Array.from({ length: 8 }, () => topUp(pool, same)))
  const late = await topUp(pool, same)

  expect(answers.filter(({ credited }) => credited)).toHaveLength(1)
  expect(answers.every(({ balanceNano }) => balanceNano === 5n)).toBe(true)
  expect(late).toEqual({ balanceNano: 5n, credited: false })
  expect(await wallet(workspaceId)).toMatchObject({ balance: '5' })
  expect(await entries(workspaceId)).toHaveLength(2)
})

it('applies many different concurrent top-ups', async () => {
  const workspaceId = await workspace()

  await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      topUp(pool, { workspaceId, amountNano: 1n, reference: `${workspaceId}-${i}` }),
    ),
  )

  expect(await wallet(workspaceId)).toMatchObject({ balance: '40', version: '40' })
})

it.each(['another amount', 'another workspace'])('refuses a reference that was used for %s', async (difference) => {
  const workspaceId = await workspace()
  const reference = `${workspaceId}-inv`
  await topUp(pool, { workspaceId, amountNano: 5n, reference })
  const other =
    difference === 'another amount'
      ? { workspaceId, amountNano: 6n }
      : { workspaceId: await workspace(), amountNano: 5n }

  await expect(topUp(pool, { ...other, reference })).rejects.toThrow(ReferenceTaken)

  expect(await wallet(workspaceId)).toMatchObject({ balance: '5' })
  expect(await entries(other.workspaceId)).toHaveLength(other.workspaceId === workspaceId ? 2 : 0)
})

it.each([0n, -1n, 10n ** 18n + 1n])('refuses the amount %s', async (amountNano) => {
  await expect(topUp(pool, { workspaceId: await workspace(), amountNano, reference: 'r' })).rejects.toThrow(RangeError)
})

it('refuses an empty reference', async () => {
  await expect(topUp(pool, { workspaceId: await workspace(), amountNano: 1n, reference: '' })).rejects.toThrow(
    RangeError,
  )
})

it('writes nothing when the workspace does not exist', async () => {
  const workspaceId = '00000000-0000-7000-8000-00000000dead'

  await expect(topUp(pool, { workspaceId, amountNano: 1n, reference: 'ghost' })).rejects.toMatchObject({
    code: '23503',
  })

  expect(await entries(workspaceId)).toEqual([])
})
