import { randomUUID } from 'node:crypto'
import { readBudgets } from '@ratchet/contracts/budgets'
import { endUserId } from '@ratchet/service-kit/values/end-user-id'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { createPgAccounts } from '../billing/pg-accounts.ts'
import type { AllAccounts } from '../billing/sharded-accounts.ts'
import { createPgEndUsers } from '../end-users/pg-end-users.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { appliedBudgets } from './applied-budgets.ts'
import { createPgBudgets } from './pg-budgets.ts'
import { budgetRoutes } from './routes.ts'

const now = () => new Date('2026-11-30T12:00:00Z')
let database: LedgerDatabase
let app: ReturnType<typeof createTestApp>
beforeAll(async () => {
  database = await ledgerDatabase()
  app = createTestApp()
})
afterAll(() => database.drop())

function createTestApp() {
  const { pool } = database
  const accounts = createPgAccounts(pool) as AllAccounts
  return testApp({
    audience: 'inference',
    now,
    routes: (router) =>
      budgetRoutes(router, { budgets: createPgBudgets(pool), accounts, endUsersByNumber: createPgEndUsers(pool), now }),
  })
}

it('states what was spent in the present window of each budget, and by whom', async () => {
  const workspaceId = await database.newWallet(10_000n)
  const [daily, each] = ['00000000-0000-7000-8000-0000000000b1', '00000000-0000-7000-8000-0000000000b2']
  await database.operator.query(
    `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, warn_at, fallback_model, created_at, updated_at)
     VALUES ($1, $3, 'workspace', '', 'day', 5000, 4000, NULL, now(), now()), ($2, $3, 'user', '*', 'month', 900, NULL, 'cheap', now(), now())`,
    [daily, each, workspaceId],
  )
  const budgets = await createPgBudgets(database.pool).list(workspaceId)
  const store = createPgLedger({ pool: database.pool, ownerId: randomUUID(), onEvent: () => undefined })
  for (const [user, amountNano, costNano] of [
    ['ann', 300n, 200n],
    ['bob', 500n, null],
  ] as const) {
    const endUser = { id: endUserId(workspaceId, user), name: user }
    if (user === 'ann') await createPgEndUsers(database.pool).save([{ ...endUser, workspaceId }])
    const windows = appliedBudgets(budgets, { keyId: null, user: endUser, tag: null }, now()).map(
      ({ window }) => window,
    )
    const billingId = randomUUID()
    const priced = { kind: 'chat', model: 'sim/large', priceVersion: '1' }
    await store.hold({ billingId, workspaceId, amountNano, ...priced, budgets: windows })
    if (costNano !== null) await store.close({ billingId, workspaceId, costNano, outcome: 'posted' })
  }
  const session = { id: randomUUID(), mayGrade: true, isFresh: true }
  const person = { workspaceId, userId: randomUUID(), role: 'owner', keyId: null, session } as const
  const headers = app.headersFor('get', readBudgets.path, person)
  const { body } = await request(app.app).get(readBudgets.path).set(headers)
  const day = { scope: 'workspace', subject: '', period: 'day', amount_nano: '5000', warn_at_nano: '4000' }
  const month = { scope: 'user', subject: '*', period: 'month', amount_nano: '900', warn_at_nano: null }
  expect(readBudgets.reply.parse(body).data).toEqual([
    {
      id: daily,
      ...day,
      fallback_model: null,
      window_start: '2026-11-30T00:00:00.000Z',
      spend: [{ subject: '', amount_nano: '5000', spent_nano: '200', held_nano: '500' }],
    },
    {
      id: each,
      ...month,
      fallback_model: 'cheap',
      window_start: '2026-11-01T00:00:00.000Z',
      spend: [
        { subject: endUserId(workspaceId, 'bob'), amount_nano: '900', spent_nano: '0', held_nano: '500' },
        { subject: 'ann', amount_nano: '900', spent_nano: '200', held_nano: '0' },
      ],
    },
  ])
})
