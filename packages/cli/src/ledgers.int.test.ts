import { randomBytes, randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let databases: readonly [main: FreshDatabase, other: FreshDatabase]
let main: Pool
let other: Pool

beforeEach(async () => {
  databases = [await freshDatabase(), await freshDatabase()]
  main = connectPool({ databaseUrl: databases[0].url, max: 1 })
  other = connectPool({ databaseUrl: databases[1].url, max: 1 })
})
afterEach(async () => {
  await Promise.all([main.end(), other.end()])
  for (const { drop } of databases) await drop()
})

/** Runs a command of an installation with the ledger `b`, or of one without. */
async function ratchet(line: string, { ledgers = `b=${databases[1].url}` } = {}) {
  const env = { DATABASE_URL: databases[0].url, LEDGER_DATABASE_URLS: ledgers }
  const io = { ...recordingIo(env), randomBytes }
  const code = await runCli(['admin', ...line.split(' '), '--json'], io)
  return { code, answer: code === 2 || io.out() === '' ? null : JSON.parse(io.out()), err: io.err() }
}

const create = 'create-workspace --slug acme --name Acme --ledger b --credit-usd 5'

/** A process that inference runs, as it shows itself in a ledger. */
async function addProcess(pool: Pool, ownerId: string): Promise<void> {
  const text = 'INSERT INTO ledger_owner (owner_id, heartbeat_at, counted_at) VALUES ($1, now(), now())'
  await pool.query(text, [ownerId])
}

const walletsIn = async (pool: Pool) => (await pool.query('SELECT balance FROM wallet')).rows

it('keeps the wallet of a workspace in the ledger that it was created with', async () => {
  expect(await ratchet(create)).toMatchObject({ code: 0 })
  expect(await ratchet('top-up --workspace acme --usd 2 --reference inv-1')).toMatchObject({
    answer: { credited: true, balance_usd: 7 },
  })
  expect(await ratchet('top-up --workspace acme --usd 2 --reference inv-1')).toMatchObject({
    answer: { credited: false, balance_usd: 7 },
  })
  expect(await ratchet('wallet --workspace acme')).toMatchObject({ answer: { balance_usd: 7 } })
  expect([await walletsIn(main), await walletsIn(other)]).toEqual([[], [{ balance: '7000000000' }]])
  await expect(main.query("UPDATE workspace SET ledger = 'main'")).rejects.toThrow('a workspace stays in its ledger')
})

it('credits a reference once, in whatever ledger', async () => {
  await ratchet(create)
  await ratchet('create-workspace --slug globex --name Globex')
  await ratchet('top-up --workspace globex --usd 3 --reference inv-1')
  await ratchet('top-up --workspace acme --usd 3 --reference inv-2')
  for (const line of ['acme --usd 3 --reference inv-1', 'globex --usd 3 --reference inv-2']) {
    expect((await ratchet(`top-up --workspace ${line}`)).err).toContain('was used for another workspace or amount')
  }
  const credits = [1, 2, 3, 4].map((turn) =>
    ratchet(`top-up --workspace ${turn % 2 === 0 ? 'acme' : 'globex'} --usd 1 --reference inv-3`),
  )
  const credited = (await Promise.all(credits)).filter(({ answer }) => answer?.credited === true)
  expect(credited).toHaveLength(1)
})

it('knows the references of top-ups from before ledgers', async () => {
  await ratchet('create-workspace --slug globex --name Globex')
  await ratchet('top-up --workspace globex --usd 3 --reference inv-1')
  await main.query('DELETE FROM top_up_reference')
  await ratchet(create)
  expect(await ratchet('top-up --workspace acme --usd 3 --reference inv-1')).toMatchObject({ code: 1 })
  expect(await ratchet('top-up --workspace globex --usd 3 --reference inv-1')).toMatchObject({
    answer: { credited: false, balance_usd: 3 },
  })
})

it('audits every ledger, and does not leave out one that it has no database of', async () => {
  await ratchet(create)
  expect(await ratchet('audit')).toMatchObject({
    code: 0,
    answer: { ok: true, ledgers: [{ ledger: 'main' }, { ledger: 'b' }] },
  })
  expect(await ratchet('audit', { ledgers: '' })).toMatchObject({ code: 2 })
  await other.query('UPDATE wallet SET balance = balance + 1')
  expect(await ratchet('audit')).toMatchObject({ code: 1, answer: { ok: false } })
})

it('finds a wallet in the ledger of another workspace', async () => {
  await ratchet(create)
  await main.query('INSERT INTO wallet (workspace_id) SELECT id FROM workspace')
  const { answer } = await ratchet('audit')
  expect(answer.ledgers[0].violations).toEqual([
    expect.objectContaining({ invariant: 'a wallet is in the ledger of its workspace', count: 1 }),
  ])
})

it('creates no workspace in a ledger that a running inference process does not use', async () => {
  const ownerId = randomUUID()
  await addProcess(main, ownerId)
  expect((await ratchet(create)).err).toContain('1 running inference process does not use the ledger b')
  expect((await main.query('SELECT FROM workspace')).rowCount).toBe(0)
  await addProcess(other, ownerId)
  expect(await ratchet(create)).toMatchObject({ code: 0 })
})

it.each([
  ['a ledger without a database', create.replace('--ledger b', '--ledger c'), {}],
  ['settings that cannot be read', create, { ledgers: 'b' }],
])('refuses %s', async (_, line, settings) => {
  expect(await ratchet(line, settings)).toMatchObject({ code: 2 })
})
