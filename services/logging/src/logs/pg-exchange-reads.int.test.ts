import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { ExchangeFilter, Place } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgExchangeReads } from './pg-exchange-reads.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const later = (ms: number) => new Date(at.getTime() + ms)

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(() => pool.query('DELETE FROM exchange_block; DELETE FROM exchange'))

const store = (...fields: ExchangeFields[]) => storeExchanges(pool, { workspaceId, at }, fields)
const reads = () => createPgExchangeReads(pool)
const idsOf = (exchanges: readonly LoggedExchange[]) => exchanges.map(({ id }) => id)

async function pageIds(filter: ExchangeFilter, limit = 50) {
  return idsOf(await reads().page({ workspaceId, at, filter, limit, offset: 0, after: null }))
}

async function totalOf(filter: ExchangeFilter, maxTotal: number, moment = at) {
  const request = { workspaceId, at: moment, filter, limit: 1, offset: 0, after: null, maxTotal }
  return (await reads().list(request)).total
}

/** Every page in turn, by `after`. */
async function pages(filter: ExchangeFilter, limit: number): Promise<string[]> {
  const all: string[] = []
  for (let after: Place | null = null; ; ) {
    const page = await reads().page({ workspaceId, at, filter, limit, offset: 0, after })
    all.push(...idsOf(page))
    after = page.at(-1) ?? null
    if (page.length < limit || after === null) return all
  }
}

it('removes the content of a deleted entry from its block', async () => {
  const [id = ''] = await store({}, {})
  expect(await reads().delete({ workspaceId, at }, id)).toBe(true)
  const { rows } = await pool.query('SELECT exchanges FROM exchange_block')
  expect(rows).toEqual([{ exchanges: 1 }])
})

it('finds frequent words across days of expiry, in the order of the list', async () => {
  const fields = Array.from({ length: 2_200 }, (_, index) => ({
    createdAt: later(-dayMs - ((index * 7_919) % 2_200) * 1_000),
    expiresAt: later((1 + (index % 4) * 9) * dayMs),
  }))
  const ids = await store(...fields)
  const expected = fields
    .map(({ createdAt }, index) => ({ createdAt, id: ids[index] }))
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .map(({ id }) => id)
  expect(await pageIds({ words: 'paris' }, 30)).toEqual(expected.slice(0, 30))
  expect(await pages({ words: 'paris' }, 200)).toEqual(expected)
  expect(await totalOf({ words: 'paris' }, 150)).toBe(150)
  expect(await totalOf({ words: 'paris' }, 5_000)).toBe(2_200)
})
