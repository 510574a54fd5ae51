import { randomBytes, randomUUID } from 'node:crypto'
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
  const { rows } = await pool.query(
    `SELECT c->>'action' AS action, c->'user_id' AS user_id, c->>'request_id' AS request_id
     FROM audit_log, CAST(content AS jsonb) AS c WHERE c->>'subject' = $1 ORDER BY position`,
    [set.id],
  )
  const by = { user_id: null, request_id: 'ratchet admin' }
  expect(rows).toEqual(['budget.set', 'budget.set', 'budget.removed'].map((action) => ({ action, ...by })))
})

it.each([
  ['a key of nobody', '--scope key --subject 00000000-0000-7000-8000-00000000dead', 1],
  ['no subject', '--scope tag', 2],
  ['a subject of the workspace', '--subject x', 2],
])('refuses %s', async (_, options, code) => {
  expect(await ratchet(`admin budget set --workspace acme --usd 1 ${options}`)).toMatchObject({ code })
})

it('shows what a workspace was charged for, adding up to the ledger whatever it is grouped by', async () => {
  const { rows } = await pool.query("SELECT id FROM workspace WHERE slug = 'acme'")
  const workspaceId = rows[0].id
  const [user, key, request] = ['u', 'k', 'r'].map(() => randomUUID())
  const used = "date_trunc('hour', timestamptz '2026-11-21T12:00:00.000Z', 'UTC')"
  await pool.query(
    `INSERT INTO usage_hour VALUES ($1, ${used}, 'chat', 'sim/large', $2, 'web', '', 3, 10, 20, 5000000007), ($1, ${used}, 'judge', 'sim/small', '00000000-0000-0000-0000-000000000000', '', '', 1, 1, 1, 3)`,
    [workspaceId, key],
  )
  await pool.query(`INSERT INTO usage_user_hour VALUES ($1, ${used}, $2, $3, 'sim/large', 2, 5, 5, 4000000000)`, [
    workspaceId,
    user,
    key,
  ])
  await pool.query("INSERT INTO end_user VALUES ($1, $2, 'ann@example.com', now())", [workspaceId, user])
  await pool.query(
    `INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason, at)
     VALUES ($1, $2, -5000000010, 'wallet', 'usage', ${used}), ($1, $2, 5000000010, 'usage', 'usage', ${used})`,
    [workspaceId, request],
  )
  for (const by of ['key', 'user', 'model', 'tag', 'alias', 'kind', 'day']) {
    const report = await json(`admin usage --workspace acme --by ${by}`)
    expect(report).toMatchObject({ charges_nano: '5000000010', unattributed_nano: '0' })
    const groups = report.groups as { cost_nano: string }[]
    expect(groups.reduce((sum, { cost_nano }) => sum + BigInt(cost_nano), 0n)).toBe(5_000_000_010n)
  }
  const { out } = await ratchet('admin usage --workspace acme --by user --csv')
  expect(out.replaceAll('\r', '')).toBe(
    'kind,group,requests,cost_nano\ngroup,ann@example.com,2,4000000000\ngroup,,2,1000000010\nunattributed,,,0\n',
  )
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
