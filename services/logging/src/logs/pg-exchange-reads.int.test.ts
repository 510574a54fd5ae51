import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import fc from 'fast-check'
import type { ExchangeFilter, Place } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgExchangeReads } from './pg-exchange-reads.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
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

const words = (text: string) => ({ content: { messages: JSON.stringify([{ role: 'user', content: text }]) } })

it.each<[string, ExchangeFilter, ExchangeFields, ExchangeFields]>([
  ['model', { model: 'acme/small' }, { servedModel: 'acme/small' }, { requestedModel: 'acme/small' }],
  ['tag', { tag: 'a' }, { tag: 'a' }, {}],
  ['segment', { segment: 'none' }, { segment: 'none' }, {}],
  ['finish reason', { finishReason: 'length' }, { finishReason: 'length' }, { finishReason: null }],
  ['cached', { cached: true }, { cached: true }, {}],
  ['not cached', { cached: false }, {}, { cached: true }],
  ['from a moment on', { start: at }, { createdAt: at }, { createdAt: later(-1) }],
  ['before a moment', { end: at }, { createdAt: later(-1) }, { createdAt: at }],
  ['trace', { traceId: 't' }, { traceId: 't' }, { traceId: 'T' }],
  ['alias', { alias: 'a' }, { alias: 'a' }, { requestedModel: 'a' }],
  ['canary', { canary: true }, { canary: true }, {}],
  ['no canary', { canary: false }, {}, { canary: true }],
  ['cost', { minCostNano: 5n }, { costNano: 5n }, { costNano: 4n }],
  ['a cost that was not charged', { minCostNano: 0n }, { costNano: 0n }, { costNano: null }],
  ['tool calls', { hasToolCalls: true }, { hasToolCalls: true }, {}],
  ['words', { words: 'RED fox' }, words('a fox, and then:\nred "wine"'), words('a fox')],
  ['words behind quotes and tabs', { words: 'wine' }, words('"wine"\tand'), words('whine')],
  ['two at once', { tag: 'a', model: 'm' }, { tag: 'a', servedModel: 'm' }, { tag: 'a' }],
  ['words and a tag', { words: 'fox', tag: 'a' }, { ...words('fox'), tag: 'a' }, words('fox')],
])('finds by %s', async (_name, filter, requested, other) => {
  const [id] = await store(requested, other)
  await storeExchanges(pool, { workspaceId: outsider, at }, [requested])

  expect(await pageIds(filter)).toEqual([id])
  expect(await totalOf(filter, 10)).toBe(1)
})

it('shows no expired exchange, also before it is swept', async () => {
  const [id = ''] = await store({ expiresAt: later(1) })
  expect(await reads().get({ workspaceId, at }, id)).toMatchObject({ id })
  expect(await reads().get({ workspaceId, at: later(1) }, id)).toBeNull()
  expect(await reads().page({ workspaceId, at: later(1), filter: {}, limit: 9, offset: 0, after: null })).toEqual([])
  expect(await totalOf({}, 9, later(1))).toBe(0)
  expect(await reads().delete({ workspaceId, at: later(1) }, id)).toBe(false)
})

it('deletes an entry with its content, and only for its own workspace', async () => {
  const [id = ''] = await store({}, {})
  expect(await reads().delete({ workspaceId: outsider, at }, id)).toBe(false)
  expect(await reads().delete({ workspaceId, at }, id)).toBe(true)
  expect(await reads().delete({ workspaceId, at }, id)).toBe(false)
  const { rows } = await pool.query('SELECT exchanges FROM exchange_block')
  expect(rows).toEqual([{ exchanges: 1 }])
})

it('counts up to the given maximum', async () => {
  await store({}, {}, {})
  expect(await totalOf({}, 2)).toBe(2)
})

it('numbers steps among all steps of their traces, not only the requested ones', async () => {
  const fields = [3, 1, 2].map((second) => ({ traceId: 't', createdAt: later(second * 1_000 - dayMs) }))
  const [third = '', first = ''] = await store(...fields, { traceId: 'u' })
  const found = await Promise.all([third, first].map((id) => reads().get({ workspaceId, at }, id)))
  const steps = await reads().stepIndexes(
    { workspaceId, at },
    found.filter((each) => each !== null),
  )
  expect([...steps].sort()).toEqual(
    [
      [first, 0],
      [third, 2],
    ].sort(),
  )
})

/**
 * Few distinct times, so that many exchanges have the same one, and retentions with which a newer exchange may expire
 * earlier.
 */
const anyFields = fc.record({
  createdAt: fc.integer({ min: 0, max: 5 }).map((second) => later(second * 1_000 - dayMs)),
  expiresAt: fc.constantFrom(1, 3, 20).map((days) => later(days * dayMs)),
  tag: fc.constantFrom('a', 'b', null),
})

it.each<[string, ExchangeFilter]>([
  ['everything', {}],
  ['a tag', { tag: 'a' }],
  ['words', { words: 'capital france' }],
])('cuts a list of %s into pages that are the whole list in its order', async (_name, filter) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFields, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (fields, limit) => {
      await pool.query('DELETE FROM exchange_block; DELETE FROM exchange')
      const ids = await store(...fields)
      const expected = fields
        .map((each, index) => ({ ...each, id: ids[index] ?? '' }))
        .filter(({ tag }) => filter.tag === undefined || tag === filter.tag)
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id)
      expect(await pages(filter, limit)).toEqual(expected)
      const offsets = Array.from({ length: Math.ceil(ids.length / limit) }, (_, index) => index * limit)
      const byOffset = await Promise.all(
        offsets.map((offset) => reads().page({ workspaceId, at, filter, limit, offset, after: null })),
      )
      expect(byOffset.flatMap(idsOf)).toEqual(expected)
    }),
    { numRuns: 25 },
  )
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
