import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'
import { type ExchangeFields, storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { createRunStatement, readSettings } from '../exchanges/pg-run-read.ts'
import { samplePrompts } from './pg-sample-prompts.ts'

const at = new Date()
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
/** `times` exchanges with this prompt. */
const sent = (prompt: number, times: number, more: ExchangeFields = {}): ExchangeFields[] =>
  Array.from({ length: times }, () => ({ ...more, promptHash: Buffer.alloc(32, prompt) }))
/** `count` exchanges, each with another prompt. */
const each = (count: number) => Array.from({ length: count }, (_, prompt) => sent(prompt, 1)).flat()

interface SampleChoices {
  readonly count: number
  readonly seed?: number
  readonly filter?: ExchangeFilter
  readonly maxDrawn?: number
  readonly batchSize?: number
}

async function sample({ count, seed = 0, filter = {}, maxDrawn = 1_000, batchSize = 10 }: SampleChoices) {
  const request = { workspaceId, at, filter, count, seed }
  const { exchanges, ...counts } = await samplePrompts(createRunStatement(pool)(request.workspaceId), request, {
    maxDrawn,
    batchSize,
  })
  return {
    ...counts,
    ids: exchanges.map(({ id }) => id),
    prompts: exchanges.map(({ promptHash }) => promptHash[0] ?? -1),
  }
}

describe('a sample of prompts', () => {
  it('has each prompt once, however often it was sent and answered from the cache', async () => {
    await store([...sent(1, 30), ...sent(1, 60, { cached: true }), ...sent(2, 5), ...sent(3, 5)])
    const { prompts, ids, ...counts } = await sample({ count: 10 })
    expect(prompts.toSorted()).toEqual([1, 2, 3])
    expect(new Set(ids).size).toBe(3)
    expect(counts).toEqual({ total: 100, examined: 100, distinct: 3 })
  })

  it('is determined by its seed', async () => {
    await store(each(60))
    const first = await sample({ count: 20, seed: 1 })
    expect(await sample({ count: 20, seed: 1 })).toEqual(first)
    expect((await sample({ count: 20, seed: 2 })).ids).not.toEqual(first.ids)
    expect((await sample({ count: 5, seed: 1 })).ids).toEqual(first.ids.slice(0, 5))
  })

  it('ends when it has enough, says how many it read, and never draws more than the maximum', async () => {
    await store(each(60))
    expect(await sample({ count: 5 })).toMatchObject({ total: 60, examined: 10, distinct: 10 })
    expect(await sample({ count: 10 })).toMatchObject({ examined: 10, distinct: 10 })
    expect(await sample({ count: 11 })).toMatchObject({ examined: 20, distinct: 20 })
    const { prompts, ...counts } = await sample({ count: 50, maxDrawn: 25 })
    expect(counts).toMatchObject({ total: 60, examined: 25, distinct: 25 })
    expect(prompts).toHaveLength(25)
  })

  it('reads every exchange for a rare prompt', async () => {
    await store([...sent(1, 59), ...sent(2, 1)])
    const { prompts, examined } = await sample({ count: 2 })
    expect(prompts.toSorted()).toEqual([1, 2])
    expect(examined).toBeGreaterThanOrEqual(10)
    expect(await sample({ count: 3 })).toMatchObject({ examined: 60, distinct: 2 })
  })

  it('chooses prompts that were sent equally often about equally often', async () => {
    await store(each(20))
    const chosen = new Map(Array.from({ length: 20 }, (_, prompt) => [prompt, 0]))
    for (let seed = 0; seed < 400; seed++) {
      for (const prompt of (await sample({ count: 5, seed })).prompts) chosen.set(prompt, (chosen.get(prompt) ?? 0) + 1)
    }
    // 100 times each is expected; 5 standard deviations of 8.7 either way.
    for (const times of chosen.values()) expect(Math.abs(times - 100)).toBeLessThan(44)
  })

  it('draws a prompt first in proportion to how often it was sent', async () => {
    await store([...sent(1, 30), ...sent(2, 10)])
    let ones = 0
    for (let seed = 0; seed < 400; seed++) if ((await sample({ count: 1, seed })).prompts[0] === 1) ones += 1
    // 300 times are expected, of a standard deviation of 8.7.
    expect(Math.abs(ones - 300)).toBeLessThan(44)
  })

  it('has only matching exchanges, also tool calls, and none that expired or belong to another workspace', async () => {
    await store(sent(1, 2, { tag: 'a', servedModel: 'acme/small' }))
    await store(sent(2, 2, { tag: 'a', segment: 'seg-b' }))
    await store(sent(3, 2, { tag: 'b', hasToolCalls: true, finishReason: 'tool_calls' }))
    await store(sent(4, 2, { tag: 'a', expiresAt: new Date(at.getTime() - 1) }))
    await store(sent(5, 2, { tag: 'a' }), outsider)
    const found = async (filter: ExchangeFilter) => (await sample({ count: 10, filter })).prompts.toSorted()
    expect(await found({})).toEqual([1, 2, 3])
    expect(await found({ tag: 'a' })).toEqual([1, 2])
    expect(await found({ tag: 'a', model: 'acme/small' })).toEqual([1])
    expect(await found({ segment: 'seg-b' })).toEqual([2])
    expect(await found({ hasToolCalls: true })).toEqual([3])
    expect(await sample({ count: 10, filter: { tag: 'c' } })).toMatchObject({ total: 0, examined: 0, distinct: 0 })
  })
})
