import { dayMs } from '@ratchet/service-kit/timing/durations'
import fc from 'fast-check'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangeRetention } from '../retention/pg-exchange-retention.ts'
import { sweepLog } from '../retention/pg-retention.ts'
import { createPgRelatedExchanges } from '../traces/otlp/pg-related-exchanges.ts'
import { type LogDatabase, logDatabase } from './log-database.fixture.ts'
import { type ExchangeFields, storeExchanges } from './logged-exchanges.fixture.ts'

const at = new Date()
const later = (ms: number) => new Date(at.getTime() + ms)
const workspaces = ['00000000-0000-7000-8000-00000000c001', '00000000-0000-7000-8000-00000000c002'] as const

let database: LogDatabase

beforeAll(async () => {
  database = await logDatabase()
  for (const id of workspaces) await database.addWorkspace(id, 30)
}, 60_000)
afterAll(() => database.drop())

/** The counts of the counter tables, and the same counts of the rows of the log. */
async function bothCounts() {
  const { rows } = await database.operator.query(`
    SELECT
      (SELECT jsonb_agg(to_jsonb(t) - 'last_on' ORDER BY workspace_id, segment) FROM segment_traffic t) AS segments,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY workspace_id, segment) FROM (
        SELECT workspace_id, segment, count(*) AS exchanges, count(DISTINCT segment_exact) AS exact_variants,
          min(created_at) AS first_at, max(created_at) AS last_at FROM exchange GROUP BY 1, 2
      ) t) AS counted_segments,
      (SELECT count(*)::int FROM segment_traffic t WHERE NOT EXISTS (
        SELECT 1 FROM exchange e WHERE (e.workspace_id, e.segment, e.created_at, e.expires_on) = (t.workspace_id, t.segment, t.last_at, t.last_on)
      )) AS lost,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY workspace_id, segment, segment_exact) FROM segment_variant t) AS variants,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY workspace_id, segment, segment_exact) FROM (
        SELECT workspace_id, segment, segment_exact, count(*) AS exchanges FROM exchange GROUP BY 1, 2, 3
      ) t) AS counted_variants,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY workspace_id, trace_id) FROM trace_traffic t) AS traces,
      (SELECT jsonb_agg(to_jsonb(t) ORDER BY workspace_id, trace_id) FROM (
        SELECT workspace_id, trace_id, count(*) AS steps, max(created_at) AS last_at FROM exchange WHERE trace_id IS NOT NULL GROUP BY 1, 2
      ) t) AS counted_traces`)
  const [{ segments, variants, traces, lost, ...counted }] = rows
  return [
    { segments, variants, traces, lost },
    {
      segments: counted.counted_segments,
      variants: counted.counted_variants,
      traces: counted.counted_traces,
      lost: 0,
    },
  ]
}

const anyFields: fc.Arbitrary<ExchangeFields> = fc.record({
  workspaceId: fc.constantFrom(...workspaces),
  segment: fc.constantFrom('none', 'seg-a', 'seg-b'),
  segmentExact: fc.constantFrom('x', 'y', 'z'),
  traceId: fc.constantFrom(null, 't', 'u'),
  createdAt: fc.integer({ min: 0, max: 9 }).map((hours) => later(-hours * 3_600_000)),
  expiresAt: fc.constantFrom(-60_000, 3_600_000, 7 * dayMs, 30 * dayMs).map(later),
})

type Step = () => Promise<unknown>

const write = fc.array(anyFields, { minLength: 1, maxLength: 8 }).map(
  (fields): Step =>
    async () => {
      await storeExchanges(database.pool, { workspaceId: workspaces[0], at }, fields)
    },
)
const writeAgain = fc.constant<Step>(async () => {
  const { rows } = await database.operator.query('SELECT * FROM exchange LIMIT 3')
  for (const { workspace_id: workspaceId, request_id: requestId, expires_at: expiresAt } of rows)
    await storeExchanges(database.pool, { workspaceId, at }, [{ requestId, expiresAt }])
})
const remove = fc.nat(5).map(
  (place): Step =>
    async () => {
      const { rows } = await database.operator.query(
        'SELECT id, workspace_id FROM exchange WHERE expires_at > $1 ORDER BY created_at, id OFFSET $2 LIMIT 1',
        [at, place],
      )
      for (const { id, workspace_id: workspaceId } of rows)
        await createPgExchangeReads(database.pool).delete({ workspaceId, at }, id)
    },
)
const attach = fc.constant<Step>(async () => {
  const { rows } = await database.operator.query(
    'SELECT id, workspace_id, expires_on::text FROM exchange WHERE trace_id IS NULL LIMIT 2',
  )
  for (const { id, workspace_id: workspaceId, expires_on: expiresOn } of rows) {
    const span = { traceId: 'attached', spanId: id, parentSpanId: null }
    await createPgRelatedExchanges(database.pool).attach(workspaceId, [{ exchange: { id, expiresOn }, span } as never])
  }
})
const setRetention = fc.constantFrom(7, 30).map(
  (days): Step =>
    async () => {
      await database.operator.query('UPDATE workspace_settings SET retention_days = $1 WHERE workspace_id = $2', [
        days,
        workspaces[1],
      ])
    },
)
const sweep = fc.constantFrom(0, 2 * 3_600_000).map(
  (ms): Step =>
    () =>
      sweepLog(database.pool, createPgExchangeRetention(database.pool), later(ms)),
)
/** Drops a partition whose rows were not swept before its day was over. */
const dropDay = fc.constant<Step>(async () => {
  const yesterday = later(-dayMs).toISOString().slice(0, 10)
  await database.operator.query('SELECT ensure_exchange_partition($1)', [yesterday])
  await database.operator.query(
    `UPDATE exchange SET expires_at = $1::date + interval '1 hour', expires_on = $1::date
     WHERE id IN (SELECT id FROM exchange ORDER BY id LIMIT 3)`,
    [yesterday],
  )
  await database.pool.query('SELECT drop_expired_exchange_partitions()')
})

it('counts segments and traces like their rows after any writes, deletions, sweeps and drops', async () => {
  const steps = fc.array(fc.oneof(write, writeAgain, remove, attach, setRetention, sweep, dropDay), { maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(write, steps, async (first, others) => {
      await database.pool.query('DELETE FROM exchange_block; DELETE FROM exchange')
      for (const step of [first, ...others]) {
        await step()
        const [counters, counted] = await bothCounts()
        expect(counters).toEqual(counted)
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)

it('loses no count when several write and delete the same segments and traces at once', async () => {
  await database.pool.query('DELETE FROM exchange_block; DELETE FROM exchange')
  const log = Array.from({ length: 4 }, (_, writer) =>
    Array.from({ length: 15 }, (_, index) => ({
      segment: `seg-${(index + writer) % 3}`,
      segmentExact: `x${index % 4}`,
      traceId: `t${(index * writer) % 5}`,
      createdAt: later(-index * 1_000),
    })),
  )
  const scope = { workspaceId: workspaces[0], at }
  await Promise.all(
    log.map(async (fields, writer) => {
      for (const each of fields) {
        const [id = ''] = await storeExchanges(database.pool, scope, [each, each])
        if (writer % 2 === 0) await createPgExchangeReads(database.pool).delete(scope, id)
      }
    }),
  )
  const [counters, counted] = await bothCounts()
  expect(counters).toEqual(counted)
  const { rows } = await database.operator.query('SELECT sum(exchanges)::int AS exchanges FROM segment_traffic')
  expect(rows).toEqual([{ exchanges: 90 }])
}, 60_000)

it('finds the new first and last exchange of a segment behind a thousand others', async () => {
  await database.pool.query('DELETE FROM exchange_block; DELETE FROM exchange')
  const others = Array.from({ length: 1_100 }, (_, index) => ({ segment: 'frequent', createdAt: later(-index - 10) }))
  const rare = [-5_000, -4_000, -2, -1].map((ms) => ({ segment: 'rare', createdAt: later(ms) }))
  const scope = { workspaceId: workspaces[0], at }
  const ids = await storeExchanges(database.pool, scope, [...rare, ...others])
  const reads = createPgExchangeReads(database.pool)
  for (const place of [0, 3, 1, 2]) {
    await reads.delete(scope, ids[place] ?? '')
    const [counters, counted] = await bothCounts()
    expect(counters).toEqual(counted)
  }
})
