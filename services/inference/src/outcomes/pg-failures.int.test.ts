import { randomUUID } from 'node:crypto'
import { failureCauseNames } from '@ratchet/contracts/failure-causes'
import { failureGroups } from '@ratchet/contracts/failures'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import fc from 'fast-check'
import { createOutcomeCounts, type EndedRequest, type FailedRequest } from './count-outcomes.ts'
import { createPgFailures } from './pg-failures.ts'
import { createPgOutcomes } from './pg-outcomes.ts'

let database: FreshDatabase
let pool: Pool
let edge: Pool
let operator: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_inference', max: 4 })
  edge = connectPool({ databaseUrl: database.url, role: 'ratchet_edge', max: 2 })
  operator = connectPool({ databaseUrl: database.url, max: 2 })
})
afterAll(async () => {
  await Promise.all([pool, edge, operator].map((each) => each.end()))
  await database.drop()
})

const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000)
const always = { from: new Date(hour.getTime() - 48 * 3_600_000), to: new Date(hour.getTime() + 3_600_000) }
const keyId = '00000000-0000-7000-8000-000000000001'

function ended(workspaceId: string, changes: Partial<EndedRequest> = {}): EndedRequest {
  const facts = { keyId, model: 'm', provider: 'p', tag: 't', alias: null, outcome: 'answered', latencyMs: 5 } as const
  return { requestId: uuidV7(Date.now()), workspaceId, at: hour, ...facts, ...changes }
}

function failed(workspaceId: string, changes: Partial<FailedRequest> = {}): FailedRequest {
  const row = { traceId: null, upstreamStatus: null, tries: 1, errorCode: 'x', message: 'It failed.' }
  return { ...ended(workspaceId, { outcome: 'provider_down' }), ...row, ...changes }
}

async function store(fill: (counts: ReturnType<typeof createOutcomeCounts>) => void) {
  const counts = createOutcomeCounts(() => undefined)
  fill(counts)
  const report = { ...counts.take(), reporter: randomUUID(), number: 1 }
  await createPgOutcomes(pool).add(report)
  return report
}

const outcome = fc.constantFrom('answered' as const, 'cached' as const, ...failureCauseNames)
const anything = fc.record({
  outcome,
  model: fc.constantFrom('m', 'n', ''),
  provider: fc.constantFrom('p', 'q', null),
  keyId: fc.constantFrom(keyId, null),
  tag: fc.constantFrom('a, "b"', null),
  alias: fc.constantFrom('bot', null),
  at: fc.nat({ max: 40 }).map((hours) => new Date(hour.getTime() - hours * 3_600_000)),
})

it('has the same total under every grouping, and whole answers and failures add up to the requests', async () => {
  const failures = createPgFailures(pool)
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40 }), fc.nat({ max: 5 }), async (requests, refused) => {
      const workspaceId = randomUUID()
      await store((counts) => {
        for (const one of requests) {
          if (one.outcome === 'answered' || one.outcome === 'cached') counts.ended(ended(workspaceId, one))
          else counts.failed(failed(workspaceId, one))
        }
      })
      if (refused > 0) {
        const text = 'INSERT INTO edge_refusal_hour VALUES ($1, $2, $3, $4, $2, $2, gen_random_uuid())'
        await edge.query(text, [workspaceId, hour, 'too_large', refused])
      }
      const of = (name: string) => requests.filter(({ outcome: each }) => each === name).length
      const wholes = { answered: of('answered'), cached: of('cached'), clientLeft: of('client_left') }
      const total = requests.length + refused - wholes.answered - wholes.cached - wholes.clientLeft
      for (const groupBy of failureGroups) {
        const report = await failures.report(workspaceId, { ...always, groupBy })
        expect(report).toMatchObject({ ...wholes, failed: total, others: null })
        expect(report.groups.reduce((sum, group) => sum + group.failed, 0)).toBe(total)
        expect(report.series.reduce((sum, { count }) => sum + count, 0)).toBe(requests.length + refused)
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)

it('says how long answers of models took, at most 5 % too high, in whole hours and in its own workspace', async () => {
  const workspaceId = randomUUID()
  const report = await store((counts) => {
    for (let n = 1; n <= 100; n += 1) counts.ended(ended(workspaceId, { latencyMs: n * 10 }))
    counts.ended(ended(workspaceId, { outcome: 'cached', latencyMs: 60_000 }))
    counts.failed(failed(workspaceId, { latencyMs: 60_000 }))
    counts.ended(ended(workspaceId, { latencyMs: 60_000, at: new Date(hour.getTime() - 100 * 3_600_000) }))
  })
  // Of another process; the first one again changes nothing.
  await store((counts) => {
    for (let n = 1; n <= 100; n += 1) counts.ended(ended(workspaceId, { latencyMs: n * 10 }))
  })
  await createPgOutcomes(pool).add(report)
  const latency = await createPgFailures(pool).latency(workspaceId, always)
  for (const [found, truth] of [
    [latency?.p50Ms ?? 0, 500],
    [latency?.p95Ms ?? 0, 950],
  ] as const) {
    expect(found).toBeGreaterThanOrEqual(truth)
    expect(found).toBeLessThan(truth * 1.05)
  }
  expect(await createPgFailures(pool).latency(randomUUID(), always)).toBeNull()
})

it('counts a report once, however often it is stored, also at once', async () => {
  const workspaceId = randomUUID()
  const report = await store((counts) => counts.failed(failed(workspaceId)))
  const outcomes = createPgOutcomes(pool)
  await Promise.all([outcomes.add(report), outcomes.add(report), outcomes.add(report)])
  await outcomes.add({ ...report, number: 0 })
  const query = {
    ...always,
    cause: 'provider_down',
    after: null,
    limit: 9,
    model: null,
    provider: null,
    keyId: null,
    tag: null,
  } as const
  const failures = createPgFailures(pool)
  expect((await failures.report(workspaceId, { ...always, groupBy: 'cause' })).failed).toBe(1)
  expect((await failures.rows(workspaceId, query)).length).toBe(1)
  await outcomes.add({ ...report, number: 2 })
  expect((await failures.report(workspaceId, { ...always, groupBy: 'cause' })).failed).toBe(2)
})

it('lists rows of one cause and one workspace by page, and filters them', async () => {
  const [workspaceId, other] = [randomUUID(), randomUUID()]
  const rows = Array.from({ length: 5 }, (_none, n) =>
    failed(workspaceId, { at: new Date(hour.getTime() + n), tag: `t${n}` }),
  )
  await store((counts) => {
    for (const row of rows) counts.failed(row)
    counts.failed(failed(other))
    counts.failed(failed(workspaceId, { outcome: 'no_credit' }))
  })
  const failures = createPgFailures(pool)
  const query = {
    ...always,
    cause: 'provider_down',
    after: null,
    limit: 2,
    model: null,
    provider: null,
    keyId: null,
    tag: null,
  } as const
  const first = await failures.rows(workspaceId, query)
  expect(first).toEqual(rows.toReversed().slice(0, 2))
  const last = first[1]
  const after = last === undefined ? null : { at: last.at, id: last.requestId }
  expect(await failures.rows(workspaceId, { ...query, after })).toEqual(rows.toReversed().slice(2, 4))
  expect(await failures.rows(workspaceId, { ...query, tag: 't3', keyId, model: 'm', provider: 'p' })).toEqual([rows[3]])
  expect(await failures.rows(workspaceId, { ...query, tag: "t3' OR true --" })).toEqual([])
  expect((await failures.rows(other, { ...query, after })).every((row) => row.workspaceId === other)).toBe(true)
})

it('keeps rows by day, and drops days that ended more than 30 days ago', async () => {
  const partitions = async () => {
    const { rows } = await operator.query(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'failed_request'::regclass",
    )
    return rows.map(({ name }) => String(name))
  }
  await operator.query(`CREATE TABLE failed_request_20260101 PARTITION OF failed_request
    FOR VALUES FROM ('2026-01-01T00:00:00Z') TO ('2026-01-02T00:00:00Z')`)
  await createPgOutcomes(pool).sweep()
  const names = await partitions()
  expect(names).not.toContain('failed_request_20260101')
  expect(names.filter((name) => /_\d{8}$/.test(name)).length).toBe(3)
})
