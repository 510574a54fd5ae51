import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { loadExchanges } from '@ratchet/testing/filled-log/load-exchanges'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgExchangeReads } from './pg-exchange-reads.ts'

/* What a page of the log reads does not depend on how long the log is, or on how far down a person is. */

const exchanges = 1_000_000
const days = 29
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const until = new Date()
const dayMs = 86_400_000
const limit = 100
/** Of a page or a jump, milliseconds; a busy machine may take several times as long. */
const budgetMs = 300
const busyFactor = 5
/** Blocks of Postgres, of 8 KB: a hundred rows, and an index of each of 30 days. */
const maxBlocks = 1_500

interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

let database: FreshDatabase
let pool: Pool
const sent: Sent[] = []

beforeAll(async () => {
  database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  await operator.query("INSERT INTO workspace VALUES ($1, 'acme', 'Acme', now())", [workspaceId])
  await loadExchanges(operator, { workspaceId, exchanges, days, untilMs: until.getTime(), hasContents: false })
  await operator.end()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 2 })
}, 400_000)
afterAll(async () => {
  await pool?.end()
  await database?.drop()
}, 60_000)

/** The reads of the log, which note what they send. */
function reads() {
  const noting = new Proxy(pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return (statement: Sent) => {
        sent.push(statement)
        return target.query({ ...statement, values: [...statement.values] })
      }
    },
  })
  return createPgExchangeReads(noting)
}

const scope = { workspaceId, at: until, retentionDays: 30 }
const before = (share: number) => new Date(until.getTime() - share * days * dayMs)

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const start = performance.now()
  const result = await work()
  return [result, performance.now() - start]
}

const p95 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** Blocks that Postgres looks at for a statement, and rows that it reads and skips. */
async function costOf({ text, values }: Sent): Promise<{ readonly blocks: number; readonly skipped: number }> {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values])
  const { Plan: root } = rows[0]['QUERY PLAN'][0]
  const rowsIn = (root.Plans ?? []).reduce(
    (most: number, plan: Record<string, number>) => Math.max(most, plan['Actual Rows'] ?? 0),
    0,
  )
  return {
    blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    skipped: root['Node Type'] === 'Limit' ? rowsIn - root['Actual Rows'] : 0,
  }
}

it('reads a page after any row in the same time and with as few blocks as the first one', async () => {
  const log = reads()
  const times: number[] = []
  const costs: { share: number; blocks: number; skipped: number }[] = []
  for (let n = 0; n < 40; n += 1) {
    const share = (n + 0.5) / 41
    const [place] = await log.page({ ...scope, filter: { end: before(share) }, limit: 1, offset: 0, after: null })
    if (place === undefined) throw new Error(`no row at ${share}`)
    const [page, ms] = await timed(() => log.page({ ...scope, filter: {}, limit, offset: 0, after: place }))
    expect(page).toHaveLength(limit)
    expect(page[0]?.createdAt.getTime()).toBeLessThanOrEqual(place.createdAt.getTime())
    times.push(ms)
    const last = sent.at(-1)
    if (n % 8 === 0 && last !== undefined) costs.push({ share, ...(await costOf(last)) })
  }
  process.stderr.write(
    `page of ${limit} in ${exchanges} rows, p95: ${p95(times).toFixed(1)} ms; ${JSON.stringify(costs)}\n`,
  )
  expect(costs.filter(({ blocks, skipped }) => blocks > maxBlocks || skipped > 0)).toEqual([])
  expect(p95(times)).toBeLessThan(budgetMs * busyFactor)
}, 120_000)

it('reads the first rows after a jump to any day, with their number, in the same time', async () => {
  const log = reads()
  const times: number[] = []
  const firsts: (LoggedExchange | undefined)[] = []
  for (let n = 0; n < 20; n += 1) {
    const filter = { start: before((n + 1) / 21), end: before(n / 21) }
    const request = { ...scope, filter, limit, offset: 0, after: null, maxTotal: 10_000 }
    const [{ rows, total }, ms] = await timed(() => log.list(request))
    expect([rows.length, total]).toEqual([limit, 10_000])
    firsts.push(rows[0])
    times.push(ms)
  }
  process.stderr.write(`jump in ${exchanges} rows, p95: ${p95(times).toFixed(1)} ms\n`)
  expect(new Set(firsts.map((row) => row?.createdAt.toISOString().slice(0, 10))).size).toBeGreaterThan(18)
  expect(p95(times)).toBeLessThan(budgetMs * busyFactor)
}, 120_000)

it('walks on from page to page without a gap or a repetition', async () => {
  const log = reads()
  let after: LoggedExchange | null = null
  const seen: string[] = []
  for (let n = 0; n < 20; n += 1) {
    const page: readonly LoggedExchange[] = await log.page({
      ...scope,
      filter: { end: before(0.6) },
      limit,
      offset: 0,
      after,
    })
    seen.push(...page.map(({ id }) => id))
    after = page.at(-1) ?? null
  }
  expect(new Set(seen).size).toBe(20 * limit)
  const at = await log.page({ ...scope, filter: { end: before(0.6) }, limit: 20 * limit, offset: 0, after: null })
  expect(seen).toEqual(at.map(({ id }) => id))
}, 120_000)
