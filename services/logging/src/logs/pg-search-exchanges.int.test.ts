import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgExchangeReads } from './pg-exchange-reads.ts'

const at = new Date()
const scope = { workspaceId: '00000000-0000-7000-8000-0000000000aa', at }
const later = (ms: number) => new Date(at.getTime() + ms)

type Row = Required<
  Pick<ExchangeFields, 'tag' | 'servedModel' | 'cached' | 'canary' | 'costNano' | 'traceId' | 'createdAt'>
> & {
  readonly expiresAt: Date
  readonly said: string
  readonly id: string
}

let database: FreshDatabase
let pool: Pool
let log: readonly Row[]

/** More exchanges than one walk reads, of several retentions, some of them only within a short time. */
function anyRow(random: () => number, index: number): Omit<Row, 'id'> {
  const pick = <T>(...from: readonly [T, ...T[]]): T => from[Math.floor(random() * from.length)] ?? from[0]
  const ageMs = index * 60_000
  return {
    createdAt: later(-ageMs),
    expiresAt: later(pick(7, 30, 30, 90) * dayMs - ageMs),
    tag: index > 4_000 && index < 5_000 ? 'late' : pick('a', 'b', null),
    servedModel: pick('m/one', 'm/one', 'm/two'),
    cached: random() < 0.3,
    canary: random() < 0.02,
    costNano: pick(null, 0n, 1_000n, BigInt(Math.floor(10 ** (random() * 9)))),
    traceId: pick(null, `t${Math.floor(index / 700)}`),
    said: pick('red fox', 'red', 'blue'),
  }
}

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 4 })
  const random = seededRandom(7)
  const rows = Array.from({ length: 6_000 }, (_, index) => anyRow(random, index))
  const ids: string[] = []
  for (let first = 0; first < rows.length; first += 1_000) {
    const some = rows.slice(first, first + 1_000)
    const fields = some.map(({ said, ...row }) => ({
      ...row,
      content: { messages: JSON.stringify([{ content: said }]) },
    }))
    ids.push(...(await storeExchanges(pool, scope, fields)))
  }
  log = rows.map((row, index) => ({ ...row, id: ids[index] ?? '' }))
}, 60_000)

afterAll(async () => {
  await pool.end()
  await database.drop()
})

function matches(row: Row, filter: ExchangeFilter): boolean {
  const { tag, model, cached, canary, minCostNano, traceId, words, start, end } = filter
  return (
    (tag === undefined || row.tag === tag) &&
    (model === undefined || row.servedModel === model) &&
    (cached === undefined || row.cached === cached) &&
    (canary === undefined || row.canary === canary) &&
    (traceId === undefined || row.traceId === traceId) &&
    (minCostNano === undefined || (row.costNano !== null && row.costNano >= minCostNano)) &&
    (words === undefined || words.split(' ').every((word) => row.said.split(' ').includes(word))) &&
    (start === undefined || row.createdAt >= start) &&
    (end === undefined || row.createdAt < end)
  )
}

const maybe = <T>(...values: readonly T[]) => fc.constantFrom<T | undefined>(undefined, undefined, ...values)
const minutesAgo = (...minutes: readonly number[]) => maybe(...minutes.map((each) => later(-each * 60_000)))

const anyFilter: fc.Arbitrary<ExchangeFilter> = fc.record({
  tag: maybe('a', 'late', 'absent'),
  model: maybe('m/one', 'm/two'),
  cached: maybe(true, false),
  canary: maybe(true, false),
  traceId: maybe('t2', 'absent'),
  minCostNano: maybe(0n, 999n, 1_000n, 500_000_000n),
  words: maybe('red', 'fox red', 'absent', '…'),
  start: minutesAgo(100, 4_500),
  end: minutesAgo(50, 4_100, 20_000),
})

it('finds for any filters exactly the rows that match, page by page and in order, and counts them', async () => {
  const reads = createPgExchangeReads(pool)
  await fc.assert(
    fc.asyncProperty(
      anyFilter,
      fc.constantFrom(1, 50, 700),
      fc.constantFrom(0, 3, 900),
      async (filter, limit, offset) => {
        const expected = log.filter((row) => matches(row, filter)).map(({ id }) => id)
        const request = { ...scope, filter, limit, offset, after: null, maxTotal: 500 }
        const first = await reads.list(request)
        expect(first.rows.map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit))
        expect(first.total).toBe(Math.min(expected.length, 500))
        const after = first.rows.at(-1)
        if (after === undefined) return
        const next = await reads.list({ ...request, after, offset: 0 })
        expect(next.rows.map(({ id }) => id)).toEqual(expected.slice(offset + limit, offset + 2 * limit))
        expect(next.total).toBe(first.total)
      },
    ),
    { numRuns: 150 },
  )
}, 120_000)

it.each<[string, ExchangeFilter]>([
  ['much', { canary: false }],
  ['much, in a time', { cached: false, start: later(-50_000_000), end: later(-600_000) }],
  ['nothing that lacks it', { hasToolCalls: true }],
  ['everything that lacks it', { hasToolCalls: false }],
])('counts exchanges whose flag is false: %s', async (_name, filter) => {
  const expected = log.filter((row) => filter.hasToolCalls !== true && matches(row, filter))
  for (const maxTotal of [1, 500, 10_000]) {
    const { rows, total } = await createPgExchangeReads(pool).list({
      ...scope,
      filter,
      limit: 5,
      offset: 2,
      after: null,
      maxTotal,
    })
    expect(rows.map(({ id }) => id)).toEqual(expected.slice(2, 7).map(({ id }) => id))
    expect(total).toBe(Math.min(expected.length, maxTotal))
  }
})
