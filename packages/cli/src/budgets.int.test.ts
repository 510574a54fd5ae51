import { randomBytes } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
  await ratchet('admin create-workspace --slug acme --name W --owner-email ann@example.com')
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function ratchet(line: string) {
  const io = { ...recordingIo({ DATABASE_URL: database.url, RATCHET_DATA_DIR: '/nonexistent' }, null), randomBytes }
  const code = await runCli(line.split(' '), io)
  return { code, out: io.out(), err: io.err() }
}

async function json(line: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await ratchet(`${line} --json`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}

it('sets, lists and removes budgets', async () => {
  const { id: keyId } = await json('admin create-key --workspace acme --email ann@example.com')
  const set = await json('admin budget set --workspace acme --usd 25.00 --warn 20 --fallback cheap')
  expect(set).toEqual({
    id: expect.any(String),
    scope: 'workspace',
    subject: '',
    period: 'month',
    amount_usd: 25,
    fallback_model: 'cheap',
    warn_at_usd: 20,
  })
  expect(await json('admin budget set --workspace acme --usd 30.00')).toMatchObject({ id: set.id, warn_at_usd: null })
  await json(`admin budget set --workspace acme --scope key --subject ${keyId} --period day --usd 1`)
  await json('admin budget set --workspace acme --scope user --subject * --period total --usd 2')
  await pool.query(
    `INSERT INTO budget_window (wallet_id, budget_id, subject, window_start, amount, spent)
     SELECT workspace_id, id, 'bob', 'epoch', 2000000000, 1500000000 FROM budget WHERE scope = 'user'`,
  )
  const { out } = await ratchet('admin budget list --workspace acme')
  expect(out).toMatch(/the workspace: 30\.00 USD a month, then refuses +0\.00 +0\.00/)
  expect(out).toMatch(/each user: 2\.00 USD in all, then refuses +1\.50 +0\.00 +bob/)
  await json(`admin budget remove ${set.id} --workspace acme`)
  expect(await ratchet(`admin budget remove ${set.id} --workspace acme`)).toMatchObject({ code: 1 })
  expect((await json('admin budget list --workspace acme')).data).toHaveLength(2)
})

it.each([
  ['a key of nobody', '--scope key --subject 00000000-0000-7000-8000-00000000dead', 1],
  ['no subject', '--scope tag', 2],
  ['a subject of the workspace', '--subject x', 2],
])('refuses %s', async (_, options, code) => {
  expect(await ratchet(`admin budget set --workspace acme --usd 1 ${options}`)).toMatchObject({ code })
})

it('creates keys that expire and are for some models, and changes both', async () => {
  const { id, expires_at } = await json(
    'admin create-key --workspace acme --email ann@example.com --expires 30 --models openai/*,support',
  )
  expect(expires_at).toEqual(expect.any(String))
  const read = 'SELECT expires_at, allowed_models FROM api_key WHERE id = $1'
  expect((await pool.query(read, [id])).rows[0]).toMatchObject({
    expires_at: new Date(String(expires_at)),
    allowed_models: ['openai/*', 'support'],
  })
  expect((await ratchet(`admin key limit ${id} --expires none --models all`)).out).toMatch(
    /may call all models, and does not expire/,
  )
  expect((await pool.query(read, [id])).rows[0]).toEqual({ expires_at: null, allowed_models: [] })
})
