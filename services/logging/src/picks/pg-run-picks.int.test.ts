import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { readSettings } from '../exchanges/pg-run-read.ts'
import { createPgRunPicks } from './pg-run-picks.ts'
import type { RunFilter } from './run-picks.ts'
import { sampleRuns } from './sample-runs.ts'

const at = new Date()
const minute = 60_000
const earlier = (minutes: number) => new Date(at.getTime() - minutes * minute)
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', settings: readSettings, max: 4 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(() => pool.query('DELETE FROM exchange_block; DELETE FROM exchange'))

const store = (fields: readonly ExchangeFields[], whose = workspaceId) =>
  storeExchanges(pool, { workspaceId: whose, at }, fields)

/** Steps of a run, a minute apart and with several days of expiry: tool calls, then an answer an hour ago. */
function run(traceId: string, steps: number, last: ExchangeFields = {}): ExchangeFields[] {
  return Array.from({ length: steps }, (_, index) => ({
    traceId,
    createdAt: earlier(59 + steps - index),
    expiresAt: new Date(at.getTime() + (index + 1) * 86_400_000),
    ...(index < steps - 1 ? { finishReason: 'tool_calls', hasToolCalls: true } : last),
  }))
}

async function sample({ filter = {} as RunFilter, maxSteps = 500, seed = 0 } = {}) {
  const { runs, ...counts } = await sampleRuns(createPgRunPicks(pool), { workspaceId, at, filter, maxSteps, seed })
  return { ...counts, runs, ids: runs.map(({ traceId }) => traceId) }
}

describe('a sample of runs', () => {
  it('has completed runs, whole and in order', async () => {
    const ids = await store(run('a', 3))
    await store([
      ...run('asks-again', 2, { finishReason: 'tool_calls' }),
      ...run('cut', 2, { finishReason: 'length' }),
      ...run('not-reported', 2, { finishReason: null }),
      ...run('may-go-on', 2, { createdAt: earlier(9) }),
      ...run('just-over', 1, { createdAt: earlier(10) }),
      {},
    ])
    const { runs, ...counts } = await sample()
    expect(counts).toMatchObject({ totalRuns: 2, eligibleSteps: 4 })
    const byId = new Map(runs.map(({ traceId, steps }) => [traceId, steps.map(({ id }) => id)]))
    expect([...byId.keys()].toSorted()).toEqual(['a', 'just-over'])
    expect(byId.get('a')).toEqual(ids)
  })

  it('is determined by its seed, and ends at the first run that does not fit', async () => {
    const lengths = new Map(Array.from({ length: 12 }, (_, index) => [`run-${index}`, 1 + (index % 4)]))
    for (const [id, steps] of lengths) await store(run(id, steps))
    const all = await sample({ seed: 1 })
    expect(all).toMatchObject({ totalRuns: 12, eligibleSteps: 30 })
    expect(await sample({ seed: 1 })).toEqual(all)
    expect((await sample({ seed: 2 })).ids).not.toEqual(all.ids)
    for (let maxSteps = 1; maxSteps <= 30; maxSteps++) {
      const { ids, totalRuns, eligibleSteps } = await sample({ seed: 1, maxSteps })
      const next = all.ids[ids.length]
      const taken = ids.reduce((sum, id) => sum + (lengths.get(id) ?? 0), 0)
      expect(ids).toEqual(all.ids.slice(0, ids.length))
      expect([taken <= maxSteps, totalRuns, eligibleSteps]).toEqual([true, 12, 30])
      if (next !== undefined) expect(taken + (lengths.get(next) ?? 0)).toBeGreaterThan(maxSteps)
    }
  })

  it('chooses every run about as often as any other', async () => {
    const chosen = new Map(Array.from({ length: 20 }, (_, index) => [`run-${index}`, 0]))
    for (const id of chosen.keys()) await store(run(id, 2))
    for (let seed = 0; seed < 400; seed++) {
      for (const id of (await sample({ maxSteps: 10, seed })).ids) chosen.set(id, (chosen.get(id) ?? 0) + 1)
    }
    // 100 times each is expected; 5 standard deviations of 8.7 either way.
    for (const times of chosen.values()) expect(Math.abs(times - 100)).toBeLessThan(44)
  })

  it('has all steps of runs with a step that meets all conditions', async () => {
    await store([
      ...run('both', 2, { tag: 't', segment: 'seg-b' }),
      ...run('either', 2, { tag: 't' }),
      ...run('other', 2, { segment: 'seg-b', servedModel: 'acme/small' }),
    ])
    const found = async (filter: RunFilter) => {
      const { ids, totalRuns, eligibleSteps } = await sample({ filter })
      expect([totalRuns, eligibleSteps]).toEqual([ids.length, 2 * ids.length])
      return ids.toSorted()
    }
    expect(await found({ tag: 't' })).toEqual(['both', 'either'])
    expect(await found({ segment: 'seg-b' })).toEqual(['both', 'other'])
    expect(await found({ tag: 't', segment: 'seg-b' })).toEqual(['both'])
    expect(await found({ model: 'acme/small' })).toEqual(['other'])
    expect(await found({ tag: 't', model: 'acme/small' })).toEqual([])
  })

  it('has the steps of a run that are still in the log, and none of another workspace', async () => {
    const [first, ...rest] = run('a', 3)
    await store([{ ...first, expiresAt: new Date(at.getTime() - 1) }, ...rest])
    await store([...run('a', 3), ...run('b', 3)], outsider)
    const { runs, ...counts } = await sample()
    expect(counts).toMatchObject({ totalRuns: 1, eligibleSteps: 2, ids: ['a'] })
    expect(runs[0]?.steps.map(({ workspaceId: whose }) => whose)).toEqual([workspaceId, workspaceId])
  })
})
