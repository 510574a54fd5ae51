import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import type { ExchangeFilter } from '../domain/exchange-reads.ts'
import { type Given, giveExchanges } from './logged-exchanges.fixture.ts'
import { createRunRead, readSettings } from './run-read.ts'
import { samplePrompts } from './sample-prompts.ts'

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
beforeEach(() => pool.query('DELETE FROM exchange_content; DELETE FROM exchange'))

const give = (given: readonly Given[], whose = workspaceId) => giveExchanges(pool, { workspaceId: whose, at }, given)
/** So many exchanges that asked this. */
const asked = (prompt: number, times: number, more: Given = {}): Given[] =>
  Array.from({ length: times }, () => ({ ...more, promptHash: Buffer.alloc(32, prompt) }))
/** Prompts as far as `asked` numbers them, once each. */
const each = (prompts: number) => Array.from({ length: prompts }, (_, prompt) => asked(prompt, 1)).flat()

interface Requested {
  readonly count: number
  readonly seed?: number
  readonly filter?: ExchangeFilter
  readonly maxDrawn?: number
  readonly together?: number
}

async function sample({ count, seed = 0, filter = {}, maxDrawn = 1_000, together = 10 }: Requested) {
  const request = { workspaceId, at, filter, count, seed }
  const { exchanges, ...counts } = await samplePrompts(createRunRead(pool), request, { maxDrawn, together })
  return {
    ...counts,
    ids: exchanges.map(({ id }) => id),
    prompts: exchanges.map(({ promptHash }) => promptHash[0] ?? -1),
  }
}

describe('a sample of prompts', () => {
  it('has each prompt once, however often it was asked and answered from the cache', async () => {
    await give([...asked(1, 30), ...asked(1, 60, { cached: true }), ...asked(2, 5), ...asked(3, 5)])
    const { prompts, ids, ...counts } = await sample({ count: 10 })
    expect(prompts.toSorted()).toEqual([1, 2, 3])
    expect(new Set(ids).size).toBe(3)
    expect(counts).toEqual({ total: 100, lookedAt: 100, distinct: 3 })
  })

  it('is decided by its seed', async () => {
    await give(each(60))
    const first = await sample({ count: 20, seed: 1 })
    expect(await sample({ count: 20, seed: 1 })).toEqual(first)
    expect((await sample({ count: 20, seed: 2 })).ids).not.toEqual(first.ids)
    expect((await sample({ count: 5, seed: 1 })).ids).toEqual(first.ids.slice(0, 5))
  })

  it('ends once it has enough, says how many it saw until then, and never draws more than it may', async () => {
    await give(each(60))
    expect(await sample({ count: 5 })).toMatchObject({ total: 60, lookedAt: 10, distinct: 10 })
    expect(await sample({ count: 10 })).toMatchObject({ lookedAt: 10, distinct: 10 })
    expect(await sample({ count: 11 })).toMatchObject({ lookedAt: 20, distinct: 20 })
    const { prompts, ...counts } = await sample({ count: 50, maxDrawn: 25 })
    expect(counts).toMatchObject({ total: 60, lookedAt: 25, distinct: 25 })
    expect(prompts).toHaveLength(25)
  })

  it('looks at everything for a prompt that is rare', async () => {
    await give([...asked(1, 59), ...asked(2, 1)])
    const { prompts, lookedAt } = await sample({ count: 2 })
    expect(prompts.toSorted()).toEqual([1, 2])
    expect(lookedAt).toBeGreaterThanOrEqual(10)
    expect(await sample({ count: 3 })).toMatchObject({ lookedAt: 60, distinct: 2 })
  })

  it('chooses prompts that were asked as often about as often', async () => {
    await give(each(20))
    const chosen = new Map(Array.from({ length: 20 }, (_, prompt) => [prompt, 0]))
    for (let seed = 0; seed < 400; seed++) {
      for (const prompt of (await sample({ count: 5, seed })).prompts) chosen.set(prompt, (chosen.get(prompt) ?? 0) + 1)
    }
    // 100 times each is expected; 5 standard deviations of 8.7 either way.
    for (const times of chosen.values()) expect(Math.abs(times - 100)).toBeLessThan(44)
  })

  it('meets a prompt first as often as it was asked', async () => {
    await give([...asked(1, 30), ...asked(2, 10)])
    let ones = 0
    for (let seed = 0; seed < 400; seed++) if ((await sample({ count: 1, seed })).prompts[0] === 1) ones += 1
    // 300 times are expected, of a standard deviation of 8.7.
    expect(Math.abs(ones - 300)).toBeLessThan(44)
  })

  it('is of what matches, calls of tools among it, and neither of another workspace nor of what has expired', async () => {
    await give(asked(1, 2, { tag: 'a', servedModel: 'acme/small' }))
    await give(asked(2, 2, { tag: 'a', segment: 'seg-b' }))
    await give(asked(3, 2, { tag: 'b', hasToolCalls: true, finishReason: 'tool_calls' }))
    await give(asked(4, 2, { tag: 'a', expiresAt: new Date(at.getTime() - 1) }))
    await give(asked(5, 2, { tag: 'a' }), outsider)
    const found = async (filter: ExchangeFilter) => (await sample({ count: 10, filter })).prompts.toSorted()
    expect(await found({})).toEqual([1, 2, 3])
    expect(await found({ tag: 'a' })).toEqual([1, 2])
    expect(await found({ tag: 'a', model: 'acme/small' })).toEqual([1])
    expect(await found({ segment: 'seg-b' })).toEqual([2])
    expect(await found({ hasToolCalls: true })).toEqual([3])
    expect(await sample({ count: 10, filter: { tag: 'c' } })).toMatchObject({ total: 0, lookedAt: 0, distinct: 0 })
  })
})
