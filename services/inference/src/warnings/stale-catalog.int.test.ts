import { randomUUID } from 'node:crypto'
import { createPgAccounts } from '../billing/pg-accounts.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgWarningEvents, createPgWarnings } from './pg-warnings.ts'
import { findStaleCatalog } from './stale-catalog.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM workspace_warning; DELETE FROM usage_hour'))

const today = new Date('2026-11-30T12:00:00Z')
const models = [
  { id: 'acme/old', provider: 'acme', asOf: '2026-06-01' },
  { id: 'acme/older', provider: 'acme', asOf: '2026-05-01' },
  { id: 'acme/new', provider: 'acme', asOf: '2026-11-01' },
  { id: 'sim/old', provider: 'sim', asOf: '2025-01-01' },
]

const find = (catalog = models, staleAfterDays = 90, at = today) =>
  findStaleCatalog({
    models: catalog,
    usedSince: (...query) => createPgAccounts(database.pool).usedSince(...query),
    store: createPgWarnings(database.pool),
    staleAfterDays,
    now: () => at,
  })
const warnings = async () => (await createPgWarningEvents(database.pool).pending(10, null)).map(({ event }) => event)

async function usage(model: string, hour: string, workspaceId: string): Promise<void> {
  await database.operator.query(
    `INSERT INTO usage_hour (wallet_id, hour, kind, model, key_id, tag, alias, requests, prompt_tokens, completion_tokens, cost)
     VALUES ($1, $2, 'request', $3, $4, '', '', 1, 1, 1, 1)`,
    [workspaceId, hour, model, randomUUID()],
  )
}

it('warns who used models with old prices, once until the prices are read again, and nobody else', async () => {
  const [user, other, former] = await Promise.all([1, 2, 3].map(() => database.newWallet(1n)))
  for (const model of models) await usage(model.id, '2026-11-29T10:00:00Z', user ?? '')
  await usage('acme/old', '2026-11-29T11:00:00Z', user ?? '')
  for (const model of ['acme/new', 'sim/old']) await usage(model, '2026-11-29T10:00:00Z', other ?? '')
  await usage('acme/old', '2026-10-01T10:00:00Z', former ?? '')
  await Promise.all([find(), find()])
  await find()
  expect(await warnings()).toMatchObject([
    {
      type: 'catalog.stale',
      timestamp: today,
      data: {
        object: 'catalog',
        as_of: '2026-05-01',
        stale_after_days: '90',
        models: '2',
        oldest_models: 'acme/older, acme/old',
      },
      identity: { workspaceId: user },
    },
  ])
  const readAgain = models.map((model) => ({ ...model, asOf: '2026-11-30' }))
  await find(readAgain)
  expect(await warnings()).toHaveLength(1)
  await usage('acme/old', '2027-03-10T10:00:00Z', user ?? '')
  await find(readAgain, 90, new Date('2027-03-15T12:00:00Z'))
  expect((await warnings()).map(({ data }) => data.as_of)).toEqual(['2026-05-01', '2026-11-30'])
})

it('begins on the day after the stated age', async () => {
  const workspaceId = await database.newWallet(1n)
  await usage('acme/new', '2026-11-29T10:00:00Z', workspaceId)
  await find(models, 29)
  expect(await warnings()).toEqual([])
  await find(models, 28)
  expect(await warnings()).toHaveLength(1)
})
