import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgExchangePicks, type ExchangePicks } from './pg-exchange-picks.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const scope = { workspaceId, at }
const nothing = '00000000-0000-0000-0000-000000000000'

let database: FreshDatabase
let pool: Pool
let picks: ExchangePicks

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 4 })
  picks = createPgExchangePicks(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => pool.query('DELETE FROM exchange_block; DELETE FROM exchange'))

const store = (fields: readonly ExchangeFields[], whose = workspaceId) =>
  storeExchanges(pool, { workspaceId: whose, at }, fields)
const idsOf = (exchanges: readonly { readonly id: string }[]) => exchanges.map(({ id }) => id)

describe('a sample', () => {
  it('is determined by its seed, has no exchange twice, and says from how many it was drawn', async () => {
    const all = await store(Array.from({ length: 60 }, () => ({ tag: 'a' })))
    await store([{ tag: 'b' }])
    await store([{ tag: 'a' }], outsider)
    const requested = { ...scope, filter: { tag: 'a' }, count: 20 }
    const first = await picks.sample({ ...requested, seed: 1 })
    const again = await picks.sample({ ...requested, seed: 1 })
    const other = await picks.sample({ ...requested, seed: 2 })
    expect(first.total).toBe(60)
    expect(new Set(idsOf(first.exchanges)).size).toBe(20)
    expect(all).toEqual(expect.arrayContaining(idsOf(first.exchanges)))
    expect(idsOf(again.exchanges)).toEqual(idsOf(first.exchanges))
    expect(idsOf(other.exchanges)).not.toEqual(idsOf(first.exchanges))
  })

  it('chooses every exchange about as often as any other', async () => {
    const all = await store(Array.from({ length: 20 }, () => ({})))
    const chosen = new Map(all.map((id) => [id, 0]))
    for (let seed = 0; seed < 400; seed++) {
      const { exchanges } = await picks.sample({ ...scope, filter: {}, count: 5, seed })
      for (const { id } of exchanges) chosen.set(id, (chosen.get(id) ?? 0) + 1)
    }
    // 100 times each is expected; 5 standard deviations of 8.7 either way.
    for (const times of chosen.values()) expect(Math.abs(times - 100)).toBeLessThan(44)
  })

  it('leaves out expired exchanges', async () => {
    await store([{ expiresAt: new Date(at.getTime() - 1) }])
    expect(await picks.sample({ ...scope, filter: {}, count: 5, seed: 0 })).toEqual({ total: 0, exchanges: [] })
  })
})

describe('fresh exchanges', () => {
  it('are returned in the order of storing, behind the last one read, whatever their day of expiry', async () => {
    const expiries = [6, 2, 30, 6].map((days) => ({ expiresAt: new Date(at.getTime() + days * 86_400_000) }))
    const stored = (await store(expiries)).toSorted()
    const first = await picks.fresh({ ...scope, after: nothing, limit: 3 })
    const rest = await picks.fresh({ ...scope, after: first.at(-1)?.id ?? '', limit: 3 })
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(stored)
  })

  it("are the workspace's own", async () => {
    await store([{}], outsider)
    expect(await picks.fresh({ ...scope, after: nothing, limit: 3 })).toEqual([])
  })
})

it('returns fresh exchanges of one alias, in the order of storing', async () => {
  const bot = { ...scope, alias: 'bot' }
  const expiries = [6, 2, 30, 6].map((days) => new Date(at.getTime() + days * 86_400_000))
  await store([{}, { alias: 'other' }, { alias: 'bot', expiresAt: new Date(at.getTime() - 1) }])
  const stored = (await store(expiries.map((expiresAt) => ({ alias: 'bot', expiresAt })))).toSorted()
  await store([{ alias: 'bot' }], outsider)
  const first = await picks.fresh({ ...bot, after: nothing, limit: 3 })
  const rest = await picks.fresh({ ...bot, after: first.at(-1)?.id ?? '', limit: 3 })
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(stored)
})

it('returns the ids of exchanges that are still in the log', async () => {
  const [present = '', expired = ''] = await store([{}, { expiresAt: new Date(at.getTime() - 1) }])
  const [foreign = ''] = await store([{}], outsider)
  expect(await picks.present(scope, [present, expired, foreign, nothing])).toEqual([present])
})
