import type { ExchangeFields } from '../exchanges/logged-exchanges.fixture.ts'
import type { RunFilter } from '../picks/run-picks.ts'
import { sampleRuns } from '../picks/sample-runs.ts'
import type { StoreUnderTest } from './store-under-test.fixture.ts'

const at = new Date()
const minute = 60_000
const earlier = (minutes: number) => new Date(at.getTime() - minutes * minute)
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const scope = { workspaceId, at }
const nothing = '00000000-0000-0000-0000-000000000000'
const idsOf = (exchanges: readonly { readonly id: string }[]) => exchanges.map(({ id }) => id)

/** Steps of a run, a minute apart and with several days of expiry: tool calls, then an answer an hour ago. */
function run(traceId: string, steps: number, last: ExchangeFields = {}): ExchangeFields[] {
  return Array.from({ length: steps }, (_, index) => ({
    traceId,
    createdAt: earlier(59 + steps - index),
    expiresAt: new Date(at.getTime() + (index + 1) * 86_400_000),
    ...(index < steps - 1 ? { finishReason: 'tool_calls', hasToolCalls: true } : last),
  }))
}

/** What every store of exchanges guarantees to judging, eval and alias, which pick from it. */
export function exchangePicksContract(create: () => Promise<StoreUnderTest>): void {
  let tested: StoreUnderTest
  beforeAll(async () => {
    tested = await create()
  }, 300_000)
  afterAll(() => tested.drop())
  beforeEach(() => tested.clear())

  const store = (fields: readonly ExchangeFields[], whose = workspaceId) =>
    tested.put({ workspaceId: whose, at }, fields)
  const picks = () => tested.store.picks

  describe('a sample', () => {
    it('is determined by its seed, has no exchange twice, and says from how many it was drawn', async () => {
      const all = await store(Array.from({ length: 60 }, () => ({ tag: 'a' })))
      await store([{ tag: 'b' }])
      await store([{ tag: 'a' }], outsider)
      const requested = { ...scope, filter: { tag: 'a' }, count: 20 }
      const first = await picks().sample({ ...requested, seed: 1 })
      const again = await picks().sample({ ...requested, seed: 1 })
      const other = await picks().sample({ ...requested, seed: 2 })
      expect(first.total).toBe(60)
      expect(new Set(idsOf(first.exchanges)).size).toBe(20)
      expect(all).toEqual(expect.arrayContaining(idsOf(first.exchanges)))
      expect(idsOf(again.exchanges)).toEqual(idsOf(first.exchanges))
      expect(idsOf(other.exchanges)).not.toEqual(idsOf(first.exchanges))
    })

    it('chooses every exchange about as often as any other', async () => {
      const all = await store(Array.from({ length: 20 }, () => ({})))
      const chosen = new Map(all.map((id) => [id, 0]))
      for (let seed = 0; seed < 200; seed++) {
        const { exchanges } = await picks().sample({ ...scope, filter: {}, count: 5, seed })
        for (const { id } of exchanges) chosen.set(id, (chosen.get(id) ?? 0) + 1)
      }
      // 50 times each is expected; 5 standard deviations of 6.1 either way.
      for (const times of chosen.values()) expect(Math.abs(times - 50)).toBeLessThan(31)
    }, 60_000)

    it('leaves out expired exchanges', async () => {
      await store([{ expiresAt: new Date(at.getTime() - 1) }])
      expect(await picks().sample({ ...scope, filter: {}, count: 5, seed: 0 })).toEqual({ total: 0, exchanges: [] })
    })

    it('of prompts has each prompt once, and says from how many exchanges and prompts it was drawn', async () => {
      const sent = (prompt: number, times: number) =>
        Array.from({ length: times }, () => ({ promptHash: Buffer.alloc(32, prompt) }))
      await store([...sent(1, 30), ...sent(2, 5), ...sent(3, 5)])
      await store(sent(4, 5), outsider)
      const { exchanges, ...counts } = await picks().prompts({ ...scope, filter: {}, count: 10, seed: 0 })
      expect(exchanges.map(({ promptHash }) => promptHash[0]).toSorted()).toEqual([1, 2, 3])
      expect(counts).toEqual({ total: 40, examined: 40, distinct: 3 })
      const again = await picks().prompts({ ...scope, filter: {}, count: 10, seed: 0 })
      expect(idsOf(again.exchanges)).toEqual(idsOf(exchanges))
    })
  })

  describe('fresh exchanges', () => {
    it('are returned in the order of storing, behind the last one read, whatever their day of expiry', async () => {
      const expiries = [6, 2, 30, 6].map((days) => ({ expiresAt: new Date(at.getTime() + days * 86_400_000) }))
      const stored = (await store(expiries)).toSorted()
      const first = await picks().fresh({ ...scope, after: nothing, limit: 3 })
      const rest = await picks().fresh({ ...scope, after: first.at(-1)?.id ?? '', limit: 3 })
      expect([...idsOf(first), ...idsOf(rest)]).toEqual(stored)
    })

    it("are the workspace's own", async () => {
      await store([{}], outsider)
      expect(await picks().fresh({ ...scope, after: nothing, limit: 3 })).toEqual([])
    })

    it('of one alias are returned in the order of storing', async () => {
      const bot = { ...scope, alias: 'bot' }
      const expiries = [6, 2, 30, 6].map((days) => new Date(at.getTime() + days * 86_400_000))
      await store([{}, { alias: 'other' }, { alias: 'bot', expiresAt: new Date(at.getTime() - 1) }])
      const stored = (await store(expiries.map((expiresAt) => ({ alias: 'bot', expiresAt })))).toSorted()
      await store([{ alias: 'bot' }], outsider)
      const first = await picks().fresh({ ...bot, after: nothing, limit: 3 })
      const rest = await picks().fresh({ ...bot, after: first.at(-1)?.id ?? '', limit: 3 })
      expect([...idsOf(first), ...idsOf(rest)]).toEqual(stored)
    })
  })

  it('returns the ids of exchanges that are still in the log', async () => {
    const [present = '', expired = ''] = await store([{}, { expiresAt: new Date(at.getTime() - 1) }])
    const [foreign = ''] = await store([{}], outsider)
    expect(await picks().present(scope, [present, expired, foreign, nothing])).toEqual([present])
  })

  describe('a sample of runs', () => {
    async function sample({ filter = {} as RunFilter, maxSteps = 500, seed = 0 } = {}) {
      const request = { workspaceId, at, filter, maxSteps, seed }
      const { runs, ...counts } = await sampleRuns(tested.store.runPicks, request)
      return { ...counts, runs, ids: runs.map(({ traceId }) => traceId) }
    }

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
      for (let seed = 0; seed < 200; seed++) {
        for (const id of (await sample({ maxSteps: 10, seed })).ids) chosen.set(id, (chosen.get(id) ?? 0) + 1)
      }
      // 50 times each is expected; 5 standard deviations of 6.1 either way.
      for (const times of chosen.values()) expect(Math.abs(times - 50)).toBeLessThan(31)
    }, 60_000)

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
      expect(await found({ excludedTags: ['t'] })).toEqual(['other'])
      expect(await found({ segment: 'seg-b', excludedTags: ['t', 'x'] })).toEqual(['other'])
      expect(await found({ start: earlier(59.5) })).toEqual([])
      expect(await found({ start: earlier(61), excludedTags: ['x'] })).toEqual(['both', 'either', 'other'])
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

  describe('quiet runs', () => {
    const quiet = async (after: { readonly id: string; readonly lastAt: Date }, limit = 10) => {
      const order = { ...scope, quietSince: earlier(10), after, limit }
      const runs = await tested.store.runPicks.quietAfter(order)
      return runs.map(({ id, lastAt }) => ({ id, lastAt }))
    }

    it('are listed by the time of their last step, behind the last one read', async () => {
      await store([
        ...run('late', 2, { createdAt: earlier(20) }),
        ...run('early', 3, { createdAt: earlier(30), finishReason: 'length' }),
        ...run('b', 1, { createdAt: earlier(25) }),
        ...run('a', 1, { createdAt: earlier(25) }),
        ...run('open', 2, { createdAt: earlier(9) }),
        {},
      ])
      await store(run('foreign', 1), outsider)
      const all = await quiet({ id: '', lastAt: earlier(60) })
      expect(all.map(({ id }) => id)).toEqual(['early', 'a', 'b', 'late'])
      expect(all.map(({ lastAt }) => lastAt)).toEqual([30, 25, 25, 20].map(earlier))
      const [, second] = all
      expect(second && (await quiet(second, 1)).map(({ id }) => id)).toEqual(['b'])
      expect((await quiet({ id: '', lastAt: earlier(25) })).map(({ id }) => id)).toEqual(['a', 'b', 'late'])
    })

    it('are listed again behind the others when they get a new step', async () => {
      await store([...run('first', 1, { createdAt: earlier(30) }), ...run('second', 1, { createdAt: earlier(20) })])
      const [read, next] = await quiet({ id: '', lastAt: earlier(60) })
      await store(run('first', 1, { createdAt: earlier(15) }))
      expect([read?.id, next?.id]).toEqual(['first', 'second'])
      expect(next && (await quiet(next)).map(({ id }) => id)).toEqual(['first'])
    })
  })
}
