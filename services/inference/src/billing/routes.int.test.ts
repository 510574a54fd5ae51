import { randomUUID } from 'node:crypto'
import { billingEndpoints } from '@ratchet/contracts/billing'
import { failureEndpoints } from '@ratchet/contracts/failures'
import { fleetIdentity, type Identity } from '@ratchet/contracts/identity'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { createPgEndUsers } from '../end-users/pg-end-users.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgWallets } from '../ledger/pg-wallets.ts'
import { createPgFailures } from '../outcomes/pg-failures.ts'
import { failureRoutes } from '../outcomes/routes.ts'
import { createPgTopUps } from '../payments/pg-top-ups.ts'
import { createTopUps } from '../payments/top-ups.ts'
import { createPgWalletAlerts } from '../wallet-alerts/pg-wallet-alerts.ts'
import { createPgAccounts } from './pg-accounts.ts'
import { createPgCorrect } from './pg-correct.ts'
import { createPgCredit } from './pg-credit.ts'
import { createPgCredits } from './pg-credits.ts'
import { billingRoutes } from './routes.ts'
import type { AllAccounts } from './sharded-accounts.ts'

const now = () => new Date()
let database: LedgerDatabase
let app: ReturnType<typeof createTestApp>
beforeAll(async () => {
  database = await ledgerDatabase()
  app = createTestApp()
})
afterAll(() => database.drop())

function createTestApp() {
  const { pool } = database
  const accounts: AllAccounts = {
    ...createPgAccounts(pool),
    lastAudit: async () => ({ agree: true, auditedAt: now() }),
    audits: async () => [{ name: 'main', agree: true, auditedAt: now(), report: await auditLedger(pool), checked: 14 }],
    credit: createPgCredit(pool, { name: 'main', pool }),
    correct: createPgCorrect({ main: pool, ledger: { name: 'main', pool }, wallets: createPgWallets({ pool }) }),
  }
  const topUps = createTopUps({
    provider: null,
    store: createPgTopUps(pool),
    credit: accounts.credit,
    returnOrigin: '',
    onEvent() {},
    newId: randomUUID,
    now,
  })
  return testApp({
    audience: 'inference',
    now,
    routes(router) {
      const credits = createPgCredits(pool)
      const endUsersByNumber = createPgEndUsers(pool)
      billingRoutes(router, { accounts, topUps, alerts: createPgWalletAlerts(pool), credits, endUsersByNumber, now })
      failureRoutes(router, { failures: createPgFailures(pool), now })
    },
  })
}

function personOf(workspaceId: string): Identity {
  const session = { id: randomUUID(), mayGrade: true, isFresh: true }
  return { workspaceId, userId: randomUUID(), role: 'owner', keyId: null, session }
}

function ask(method: 'get' | 'post' | 'put', url: string, by: string | Identity, body?: object) {
  const asked = request(app.app)
    [method](url)
    .set(app.headersFor(method, url, by))
  return body === undefined ? asked : asked.send(body)
}

it.each([...billingEndpoints, ...failureEndpoints])(
  'refuses a key, which the edge would not let through: $method $path',
  async ({ method, path }) => {
    const url = path.replace(':month', '2026-11').replace(':cause', 'ours')
    const answer = await ask(method as 'get', url, await database.newWallet(1_000n), method === 'get' ? undefined : {})
    expect(answer.status).toBe(403)
  },
)

it('shows the wallet of the workspace, in nano-dollars', async () => {
  const workspaceId = await database.newWallet(9_007_199_254_740_993n)
  const me = personOf(workspaceId)
  expect((await ask('put', '/session/wallet/alert', me, { threshold_nano: '9007199254740994' })).status).toBe(200)
  const { body } = await ask('get', '/session/wallet', me)
  expect(body).toMatchObject({
    balance_nano: '9007199254740993',
    held_nano: '0',
    available_nano: '9007199254740993',
    alert: { threshold_nano: '9007199254740994', is_below: false },
    audit: { agree: true },
    top_ups: 'operator',
  })
  const { body: none } = await ask('get', '/session/wallet', personOf(await database.newWallet(1n)))
  expect(none).toMatchObject({ balance_nano: '1', alert: null })
})

it.each<[string, unknown]>([
  ['zero', '0'],
  ['less', '-5'],
  ['a fraction', '1.5'],
  ['a number', 5],
  ['more than any wallet', '9'.repeat(19)],
  ['much more', '9'.repeat(5_000)],
  ['a text', 'all'],
])('refuses a threshold that is %s', async (_what, threshold_nano) => {
  const me = personOf(await database.newWallet(1n))
  expect(await ask('put', '/session/wallet/alert', me, { threshold_nano })).toMatchObject({ status: 400 })
})

it.each<[string, object, number]>([
  ['nothing', { amount_cents: 0, return_path: '/w' }, 400],
  ['less than nothing', { amount_cents: -100, return_path: '/w' }, 400],
  ['a fraction', { amount_cents: 100.5, return_path: '/w' }, 400],
  ['too much', { amount_cents: 100_000_000, return_path: '/w' }, 400],
  ['more than a number holds', { amount_cents: 1e300, return_path: '/w' }, 400],
  ['a page of somebody else', { amount_cents: 500, return_path: '//evil.example' }, 400],
  ['an address', { amount_cents: 500, return_path: 'https://evil.example' }, 400],
  ['a script', { amount_cents: 500, return_path: 'javascript:alert(1)' }, 400],
  ['a way around', { amount_cents: 500, return_path: '/\\evil.example' }, 400],
  ['an amount, where only the operator credits', { amount_cents: 500, return_path: '/w/acme' }, 409],
])('refuses a top-up of %s', async (_what, body, status) => {
  const workspaceId = await database.newWallet(1n)
  expect(await ask('post', '/session/wallet/top_ups', personOf(workspaceId), body)).toMatchObject({ status })
  expect((await ask('get', '/session/wallet/top_ups', personOf(workspaceId))).body.data).toEqual([])
})

it('answers the same sums as JSON and as CSV, and nothing of another workspace', async () => {
  const workspaceId = await database.newWallet(500n)
  const other = await database.newWallet(77n)
  const { body } = await ask('get', '/session/ledger', personOf(workspaceId))
  expect(body).toMatchObject({ data: [{ amount_nano: '500', balance_nano: '500', reason: 'top_up' }], next: null })
  const csv = await ask('get', '/session/ledger?format=csv', personOf(workspaceId))
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(csv.headers['content-disposition']).toContain('attachment')
  expect(csv.text.split('\r\n')[1]).toBe(`${body.data[0].id},${body.data[0].at},top_up,500,500,,${workspaceId},`)
  expect(csv.text).not.toContain(other)
  const month = new Date().toISOString().slice(0, 7)
  const statement = await ask('get', `/session/statements/${month}`, personOf(workspaceId))
  expect(statement.body).toMatchObject({
    opening_nano: '0',
    credits_nano: '500',
    charges_nano: '0',
    closing_nano: '500',
  })
  const usage = await ask('get', '/session/usage?group_by=tag&format=csv', personOf(workspaceId))
  expect(usage.text).toBe('kind,group,requests,prompt_tokens,completion_tokens,cost_nano\r\nunattributed,,,,,0\r\n')
})

it.each([
  '/session/ledger?after=x',
  '/session/ledger?after=1_1%27--',
  '/session/ledger?after=1_-1',
  '/session/ledger?limit=0',
  '/session/ledger?limit=201',
  '/session/ledger?limit=10001&format=csv',
  '/session/ledger?from=2026-11-02&to=2026-11-01',
  '/session/usage?group_by=workspace',
  '/session/usage?from=2001-01-01',
  '/session/statements/2026-13',
  '/session/statements/2099-01',
  '/session/failures?group_by=workspace_id',
  '/session/failures/answered',
  '/session/failures/ours?after=1_0',
  '/session/failures/ours?key_id=1',
])('refuses %s', async (url) => {
  expect(await ask('get', url, personOf(await database.newWallet(1n)))).toMatchObject({ status: 400 })
})

it('shows failures, with what to do about each cause', async () => {
  const workspaceId = await database.newWallet(1n)
  const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
  const counted = `INSERT INTO request_outcome_hour VALUES ($1, $2, 'no_credit', 'm', '', $1, '', '', 3, $2, $2, $1)`
  await database.operator.query(counted, [workspaceId, hour])
  const { body } = await ask('get', '/session/failures', personOf(workspaceId))
  expect(body).toMatchObject({ requests: 3, answered: 0, cached: 0, client_left: 0, failed: 3, others: null })
  expect(body.groups).toMatchObject([{ group: 'no_credit', failed: 3, what_to_do: expect.stringContaining('Top up') }])
  expect((await ask('get', '/session/failures', personOf(await database.newWallet(1n)))).body.requests).toBe(0)
})

describe('a credit of an operator', () => {
  const credit = (workspaceId: string, changes: object = {}) =>
    ask('post', '/internal/credits', fleetIdentity, {
      workspace_id: workspaceId,
      amount_nano: '250',
      reference: `inv ${workspaceId}`,
      reason: 'paid by transfer',
      ...changes,
    })

  it('is made once, also when it is sent many times at once, and is in the ledger with its reason', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const answers = await Promise.all(Array.from({ length: 5 }, () => credit(workspaceId)))
    expect(answers.map(({ status, body }) => [status, body.balance_nano])).toEqual(Array(5).fill([200, '1250']))
    expect(answers.filter(({ body }) => body.credited)).toHaveLength(1)
    const { body } = await ask('get', '/session/ledger', personOf(workspaceId))
    const note = 'paid by transfer'
    expect(body.data[0]).toMatchObject({ reason: 'top_up', amount_nano: '250', reference: `inv ${workspaceId}`, note })
  })

  it('does not take a reference for another amount or workspace', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const other = await database.newWallet(1_000n)
    await credit(workspaceId)
    const wrong = { status: 409, body: { error: { code: 'conflict', param: 'reference' } } }
    expect(await credit(workspaceId, { amount_nano: '251' })).toMatchObject(wrong)
    expect(await credit(other, { reference: `inv ${workspaceId}` })).toMatchObject(wrong)
    const { body } = await ask('get', '/session/wallet', personOf(other))
    expect(body.balance_nano).toBe('1000')
  })
})

describe('a correction', () => {
  const correct = (workspaceId: string, amount: string, reference = `ticket ${workspaceId}`) =>
    ask('post', '/internal/corrections', fleetIdentity, {
      workspace_id: workspaceId,
      amount_nano: amount,
      reference,
      reason: 'charged twice',
    })

  it('is posted once, also when it is sent many times at once, and is in the ledger, its CSV and the statement', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const answers = await Promise.all(Array.from({ length: 5 }, () => correct(workspaceId, '-250')))
    expect(answers.map(({ status, body }) => [status, body.balance_nano])).toEqual(Array(5).fill([200, '750']))
    expect(answers.filter(({ body }) => body.corrected)).toHaveLength(1)
    const owner = personOf(workspaceId)
    const { body } = await ask('get', '/session/ledger', owner)
    const entry = { amount_nano: '-250', balance_nano: '750', charges: null, note: 'charged twice' }
    expect(body.data[0]).toMatchObject({ reason: 'correction', reference: `ticket ${workspaceId}`, ...entry })
    const csv = (await ask('get', '/session/ledger?format=csv', owner)).text.split('\r\n')
    expect(csv[1]).toContain(',correction,-250,750,')
    const usage = await ask('get', '/session/usage', owner)
    expect(usage.body).toMatchObject({ charges_nano: '0', unattributed_nano: '0', series: [] })
    const month = now().toISOString().slice(0, 7)
    const statement = (await ask('get', `/session/statements/${month}`, owner)).body
    expect(statement).toMatchObject({ corrections_nano: '-250', charges_nano: '0', closing_nano: '750' })
    expect(statement.corrections).toMatchObject([{ amount_nano: '-250' }])
    const { credits_nano: credits, opening_nano: opening, closing_nano: closing } = statement
    expect(BigInt(opening) + BigInt(credits) - 250n).toBe(BigInt(closing))
    const lines = (await ask('get', `/session/statements/${month}?format=csv`, owner)).text
      .trim()
      .split('\r\n')
      .slice(1)
    const sum = lines.slice(0, -1).reduce((total, line) => total + BigInt(line.slice(line.lastIndexOf(',') + 1)), 0n)
    expect(sum).toBe(750n)
    expect((await auditLedger(database.pool)).violations).toEqual([])
  })

  it('takes all that is free and nothing of what is held, and a refused reference may be used again', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const billing = `INSERT INTO billing_request (request_id, wallet_id, owner_id, hold, deadline, state, kind, model, price_version)
      VALUES (gen_random_uuid(), $1, gen_random_uuid(), 400, now() + interval '1 hour', 'open', 'chat', 'm', 'v')`
    await database.pool.query(billing, [workspaceId])
    await database.pool.query('UPDATE wallet SET held = 400 WHERE workspace_id = $1', [workspaceId])
    const refused = { status: 402, body: { error: { code: 'insufficient_balance', param: 'amount_nano' } } }
    expect(await correct(workspaceId, '-601')).toMatchObject(refused)
    const { body } = await ask('get', '/session/wallet', personOf(workspaceId))
    expect(body).toMatchObject({ balance_nano: '1000', available_nano: '600' })
    const listed = (await ask('get', '/internal/credits?limit=5', fleetIdentity)).body.data
    expect(listed.filter(({ reference }: { reference: string }) => reference.startsWith('ticket'))).not.toContainEqual(
      expect.objectContaining({ workspace_id: workspaceId }),
    )
    expect((await correct(workspaceId, '-600')).body).toEqual({ corrected: true, balance_nano: '400' })
    expect(await correct(workspaceId, '-1', 'another')).toMatchObject(refused)
    expect((await auditLedger(database.pool)).violations).toEqual([])
  })

  it('does not take the reference of a credit, and no credit takes its reference', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const reference = `both ${workspaceId}`
    const body = { workspace_id: workspaceId, amount_nano: '5', reference, reason: 'paid' }
    const taken = { status: 409, body: { error: { code: 'conflict', param: 'reference' } } }
    expect((await ask('post', '/internal/credits', fleetIdentity, body)).status).toBe(200)
    expect(await correct(workspaceId, '5', reference)).toMatchObject(taken)
    expect((await correct(workspaceId, '7')).status).toBe(200)
    const credit = { ...body, amount_nano: '7', reference: `ticket ${workspaceId}` }
    expect(await ask('post', '/internal/credits', fleetIdentity, credit)).toMatchObject(taken)
    const listed = (await ask('get', '/internal/credits?limit=2', fleetIdentity)).body.data
    expect(listed).toMatchObject([
      { kind: 'correction', amount_nano: '7' },
      { kind: 'top_up', amount_nano: '5' },
    ])
  })

  it('makes a wallet that can be corrected upwards only', async () => {
    const workspaceId = randomUUID()
    const add = "INSERT INTO workspace (id, slug, name, created_at) VALUES ($1::uuid, $1::text, 'W', now())"
    await database.operator.query(add, [workspaceId])
    expect((await correct(workspaceId, '-1')).status).toBe(402)
    expect((await correct(workspaceId, '3')).body).toEqual({ corrected: true, balance_nano: '3' })
  })
})

it('lists what was paid into all wallets, newest first', async () => {
  const workspaceId = await database.newWallet(1n)
  const references = ['first', 'second'].map((word) => `${word} ${workspaceId}`)
  for (const reference of references) {
    const body = { workspace_id: workspaceId, amount_nano: '9007199254740993', reference, reason: 'paid' }
    expect((await ask('post', '/internal/credits', fleetIdentity, body)).status).toBe(200)
  }
  const { body } = await ask('get', '/internal/credits?limit=2', fleetIdentity)
  expect(body.data).toMatchObject(
    references
      .reverse()
      .map((reference) => ({ workspace_id: workspaceId, amount_nano: '9007199254740993', reference })),
  )
})

it('shows what the audit of each ledger found', async () => {
  const { body } = await ask('get', '/internal/ledger_audits', fleetIdentity)
  expect(body.data).toMatchObject([{ ledger: 'main', violations: [], written_off_nano: '0' }])
  expect(body.data[0].checked).toBeGreaterThan(10)
})
