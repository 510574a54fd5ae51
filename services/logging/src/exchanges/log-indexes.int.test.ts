import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgImports } from '../imports/pg-imports.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangePicks } from '../picks/pg-exchange-picks.ts'
import { createPgRunPicks } from '../picks/pg-run-picks.ts'
import { createPgSegmentTraffic } from '../segments/pg-segment-traffic.ts'
import { createPgDuplicates } from '../traces/otlp/pg-duplicates.ts'
import { createPgRelatedExchanges } from '../traces/otlp/pg-related-exchanges.ts'
import { createPgTraceSteps } from '../traces/pg-trace-steps.ts'
import type { ExchangeFilter } from './exchange-reads.ts'
import { storeExchanges } from './logged-exchanges.fixture.ts'
import { readSettings } from './pg-run-read.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const scope = { workspaceId, at }
const someId = '00000000-0000-7000-8000-0000000000ff'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, settings: readSettings, max: 2 })
  const fields = Array.from({ length: 3_000 }, (_, index) => ({
    tag: `t${index % 50}`,
    servedModel: `m${index % 40}`,
    segment: `seg-${index % 40}`,
    traceId: `r${index % 600}`,
    cached: index % 50 === 0,
    alias: index % 40 === 0 ? 'bot' : null,
    costNano: BigInt(index),
    createdAt: new Date(at.getTime() - index * 60_000),
    expiresAt: new Date(at.getTime() + (index % 3 === 0 ? 7 : 30) * dayMs),
  }))
  for (let first = 0; first < fields.length; first += 500)
    await storeExchanges(pool, scope, fields.slice(first, first + 500))
  // Moves new entries of the search index to their places, so that the planner does not read them one by one.
  await pool.query('VACUUM (ANALYZE) exchange')
}, 60_000)

afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Runs reads and returns the plans of their statements on the log, with the settings of the pool for reading. */
async function plansOf(read: (pool: Pool) => Promise<unknown>): Promise<readonly string[]> {
  const sent: { readonly text: string; readonly values: unknown[] }[] = []
  const query = (statement: string | { text: string; values: unknown[] }, given: unknown[] = []) => {
    const { text, values } = typeof statement === 'string' ? { text: statement, values: given } : statement
    sent.push({ text, values })
    return pool.query(text, values)
  }
  const client = { query, on: () => client, off: () => client, release: () => undefined }
  await read({ query, connect: async () => client } as unknown as Pool)
  const onLog = sent.filter(({ text }) => /\bexchange/.test(text))
  expect(onLog).not.toEqual([])
  return Promise.all(
    onLog.map(async ({ text, values }) => {
      const { rows } = await pool.query({ text: `EXPLAIN ${text}`, values })
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }),
  )
}

const page = { ...scope, limit: 50, offset: 0, after: null }
const list = (filter: ExchangeFilter) => (on: Pool) =>
  createPgExchangeReads(on).list({ ...page, filter, maxTotal: 500 })
const span = {
  traceId: 'r1',
  spanId: 's1',
  parentSpanId: null,
  gatewayRequestId: someId,
  startedAt: at,
  latencyMs: 10,
  promptTokens: 1,
  completionTokens: 1,
}
const sample = { ...scope, count: 5, seed: 1 }

it.each<[string, (on: Pool) => Promise<unknown>]>([
  ['everything', list({})],
  ['a trace', list({ traceId: 'r1' })],
  ['a cost', list({ minCostNano: 2_990n })],
  ['an id', (on) => createPgExchangeReads(on).get(scope, someId)],
  ['deleting', (on) => createPgExchangeReads(on).delete(scope, someId)],
  [
    'contents',
    (on) => createPgExchangeReads(on).contents(scope, [{ id: someId, createdAt: at, expiresAt: at, sizeBytes: 1 }]),
  ],
  ['fresh exchanges', (on) => createPgExchangePicks(on).fresh({ ...scope, after: someId, limit: 5 })],
  ['of an alias', (on) => createPgExchangePicks(on).fresh({ ...scope, after: someId, limit: 5, alias: 'bot' })],
  ['presence', (on) => createPgExchangePicks(on).present(scope, [someId])],
  ['a sample', (on) => createPgExchangePicks(on).sample({ ...sample, filter: {} })],
  ['prompts', (on) => createPgExchangePicks(on).prompts({ ...sample, filter: { tag: 't1' } })],
  ['runs', (on) => createPgRunPicks(on).quiet({ ...scope, filter: { tag: 't1' }, quietSince: at, seed: 1 })],
  ['steps of runs', (on) => createPgRunPicks(on).stepsOf(scope, ['r1', 'r2'])],
  ['summaries of traces', (on) => createPgTraceSteps(on).stepSummaries(scope, ['r1', 'r2'])],
  ['segments', (on) => createPgSegmentTraffic(on).list({ ...scope, limit: 20, offset: 0 })],
  ['an import', (on) => createPgImports(on).known({ ...scope, requestIds: [someId], entryIds: [someId] })],
  ['duplicate spans', (on) => createPgDuplicates(on).merge({ workspaceId, traceIds: ['r1'], from: at, to: at })],
  ['related rows', (on) => createPgRelatedExchanges(on).related(workspaceId, [span], { retentionDays: 30 })],
])('reads %s by an index', async (_name, read) => {
  const plans = (await plansOf(read)).join('\n')
  expect(plans).toMatch(/Index (Only )?Scan|Bitmap Index Scan/)
  expect(plans).not.toMatch(/Seq Scan on exchange/)
})

it.each<[string, ExchangeFilter]>([
  ['model', { model: 'm1' }],
  ['tag', { tag: 't1' }],
  ['segment', { segment: 'seg-1' }],
  ['finish reason', { finishReason: 'length' }],
  ['alias', { alias: 'bot' }],
  ['cached', { cached: true }],
  ['canary', { canary: true }],
  ['tool calls', { hasToolCalls: true }],
])('finds what a filter of %s matches, and draws from it, in the index of all filters', async (_name, filter) => {
  for (const read of [list(filter), (on: Pool) => createPgExchangePicks(on).sample({ ...sample, filter })]) {
    const plans = (await plansOf(read)).join('\n')
    expect(plans).toMatch(/Bitmap Index Scan on exchange_\d+_exchange_facets_words_idx/)
    expect(plans).not.toMatch(/Seq Scan on exchange/)
  }
})

it('has five indexes with every exchange, and three with some of them', async () => {
  const { rows } = await pool.query<{ name: string; isPartial: boolean }>(`
    SELECT c.relname AS name, i.indpred IS NOT NULL AS "isPartial" FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE i.indrelid = 'exchange'::regclass ORDER BY c.relname`)
  const named = Map.groupBy(rows, ({ isPartial }) => isPartial)
  expect(named.get(false)?.map(({ name }) => name)).toEqual([
    'exchange_cost_idx',
    'exchange_id_idx',
    'exchange_newest_idx',
    'exchange_request_key',
    'exchange_search_idx',
  ])
  expect(named.get(true)?.map(({ name }) => name)).toEqual([
    'exchange_alias_id_idx',
    'exchange_import_idx',
    'exchange_trace_idx',
  ])
})
