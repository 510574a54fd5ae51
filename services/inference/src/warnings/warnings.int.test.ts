import { randomUUID } from 'node:crypto'
import { readBudgetSpend } from '@ratchet/db/budget-spend'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgWarningEvents, createPgWarnings } from './pg-warnings.ts'
import { findWarnings } from './warning.ts'

const now = () => new Date('2026-11-30T12:00:00Z')
let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM workspace_warning; DELETE FROM budget; DELETE FROM api_key'))

const errors: unknown[] = []
const find = (at = now(), pool = database.pool) =>
  findWarnings({
    store: createPgWarnings(database.pool),
    budgetSpend: (id, query) => readBudgetSpend(pool, id, query),
    now: () => at,
    onError: (error) => void errors.push(error),
  })
const outbox = () => createPgWarningEvents(database.pool)

async function budgetOf(workspaceId: string, warnAt: bigint, subject = ''): Promise<string> {
  const id = randomUUID()
  await database.operator.query(
    `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, warn_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'day', 100, $5, now(), now())`,
    [id, workspaceId, subject === '' ? 'workspace' : 'user', subject, warnAt],
  )
  return id
}

const spend = (workspaceId: string, id: string, spent: bigint, subject = '') =>
  database.operator.query(
    `INSERT INTO budget_window (wallet_id, budget_id, subject, window_start, amount, spent, held)
     VALUES ($1, $2, $3, '2026-11-30T00:00:00Z', 100, $4, 1)`,
    [workspaceId, id, subject, spent],
  )

it('warns once in a window, also when several processes see it, and again in the next or of a new threshold', async () => {
  const workspaceId = await database.newWallet(1n)
  const id = await budgetOf(workspaceId, 80n)
  await find()
  expect(await outbox().pending(10, null)).toEqual([])
  await spend(workspaceId, id, 79n)
  await Promise.all([find(), find()])
  const [row, ...more] = await outbox().pending(10, null)
  expect(more).toEqual([])
  expect(row?.event).toMatchObject({
    type: 'budget.threshold',
    timestamp: now(),
    data: { object: 'budget', id, scope: 'workspace', used_nano: '80', warn_at_nano: '80', amount_nano: '100' },
    identity: { workspaceId },
  })
  await outbox().end([row?.id ?? ''], now())
  await find()
  expect(await outbox().pending(10, null)).toEqual([])
  await database.operator.query('UPDATE budget SET warn_at = 70')
  await find()
  expect(await outbox().pending(10, null)).toHaveLength(1)
  await find(new Date('2026-12-01T12:00:00Z'))
  expect(await outbox().pending(10, null)).toHaveLength(1)
})

it('warns of each one who has spent so much', async () => {
  const workspaceId = await database.newWallet(1n)
  const id = await budgetOf(workspaceId, 50n, '*')
  for (const [user, spent] of [
    ['ann', 60n],
    ['bob', 10n],
    ['eve', 49n],
  ] as const)
    await spend(workspaceId, id, spent, user)
  await find()
  const subjects = (await outbox().pending(10, null)).map(({ event }) => event.data.subject)
  expect(subjects.toSorted()).toEqual(['ann', 'eve'])
})

it('warns of a key seven days before it expires, and not of one that was revoked', async () => {
  const workspaceId = await database.newWallet(1n)
  const userId = randomUUID()
  await database.operator.query("INSERT INTO app_user VALUES ($1::uuid, $1::text, 'U', now())", [userId])
  const expiresAt = new Date(Date.now() + 3_600_000)
  for (const [name, revokedAt] of [
    ['soon', null],
    ['revoked', new Date()],
  ] as const) {
    await database.operator.query(
      `INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at, revoked_at, expires_at)
       VALUES ($1, $2, $3, $4, sha256($4::text::bytea), 'sk', now(), $5, $6)`,
      [randomUUID(), workspaceId, userId, name, revokedAt, expiresAt],
    )
  }
  await find(new Date(expiresAt.getTime() - 8 * 86_400_000))
  expect(await outbox().pending(10, null)).toEqual([])
  await find(new Date(expiresAt.getTime() - 6 * 86_400_000))
  await find()
  const events = await outbox().pending(10, null)
  expect(events.map(({ event }) => [event.type, event.data.name])).toEqual([['key.expiring', 'soon']])
})

it('a ledger that cannot be read delays no other warning', async () => {
  const [first, second] = [await database.newWallet(1n), await database.newWallet(1n)]
  for (const workspaceId of [first, second]) await spend(workspaceId, await budgetOf(workspaceId, 10n), 10n)
  let calls = 0
  await findWarnings({
    store: createPgWarnings(database.pool),
    async budgetSpend(id, query) {
      calls += 1
      if (calls === 1) throw new Error('its ledger is down')
      return readBudgetSpend(database.pool, id, query)
    },
    now,
    onError: (error) => void errors.push(error),
  })
  expect(await outbox().pending(10, null)).toHaveLength(1)
  expect(errors).toHaveLength(1)
})
