import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { ExchangeFields } from '../exchanges/logged-exchanges.fixture.ts'
import { stepPages } from '../traces/step-pages.ts'
import type { StoreUnderTest } from './store-under-test.fixture.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const scope = { workspaceId, at }
const later = (ms: number) => new Date(at.getTime() + ms)

/** What every store of exchanges guarantees to those who read traces. */
export function traceStepsContract(create: () => Promise<StoreUnderTest>): void {
  let tested: StoreUnderTest
  beforeAll(async () => {
    tested = await create()
  }, 300_000)
  afterAll(() => tested.drop())
  beforeEach(() => tested.clear())

  const store = (...fields: ExchangeFields[]) => tested.put(scope, fields)
  const step = (traceId: string, second: number, more: ExchangeFields = {}): ExchangeFields => ({
    traceId,
    createdAt: later(-100_000 + second * 1_000),
    ...more,
  })
  const steps = () => tested.store.traceSteps

  it('lists the newest matching steps, page after page', async () => {
    const ids = await store(step('a', 1, { tag: 'x' }), step('b', 2, { tag: 'x' }), step('a', 3), { tag: 'x' })
    await tested.put({ workspaceId: outsider, at }, [step('a', 9, { tag: 'x' })])
    const request = { ...scope, filter: { tag: 'x' }, limit: 1 }
    const first = await steps().steps({ ...request, behind: null })
    expect(first).toEqual([{ traceId: 'b', createdAt: later(-98_000), id: ids[1] }])
    const second = await steps().steps({ ...request, behind: first[0] ?? null })
    expect(second).toEqual([{ traceId: 'a', createdAt: later(-99_000), id: ids[0] }])
    expect(await steps().steps({ ...request, behind: second[0] ?? null })).toEqual([])
  })

  it('finds the traces with a matching step at or before a position', async () => {
    const [, position = ''] = await store(step('a', 1, { tag: 'x' }), step('b', 2, { tag: 'x' }), step('c', 3))
    const behind = { createdAt: later(-98_000), id: position }
    const request = { ...scope, filter: { tag: 'x' }, behind, traceIds: ['a', 'b', 'c'] }
    expect(await steps().withStepBefore(request)).toEqual(['b'])
    expect(await steps().withStepBefore({ ...request, behind: null })).toEqual([])
  })

  it('lists the newest traces with enough steps, and counts their steps', async () => {
    await store(step('a', 1), step('b', 2), step('a', 3), step('c', 4), step('c', 5), {})
    const request = { ...scope, minSteps: 1, after: null, limit: 2 }
    const first = await steps().newest(request)
    expect(first).toEqual([
      { id: 'c', steps: 2, lastAt: later(-95_000) },
      { id: 'a', steps: 2, lastAt: later(-97_000) },
    ])
    const after = first[1] ?? null
    expect((await steps().newest({ ...request, after })).map(({ id }) => id)).toEqual(['b'])
    expect((await steps().newest({ ...request, minSteps: 2, limit: 9 })).map(({ id }) => id)).toEqual(['c', 'a'])
    const traffic = await steps().traffic(scope, ['b', 'c', 'none'])
    expect(traffic.toSorted((one, other) => one.steps - other.steps)).toEqual([
      { id: 'b', steps: 1, lastAt: later(-98_000) },
      { id: 'c', steps: 2, lastAt: later(-95_000) },
    ])
  })

  it('sums up traces, without expired steps', async () => {
    const expiresAt = later(86_400_000)
    await store(
      step('a', 1, { tag: 'x', costNano: 2n, expiresAt }),
      step('a', 2, { servedModel: 'acme/small', costNano: null }),
      step('a', 3, { finishReason: null, costNano: 3n }),
      step('a', 4, { expiresAt: later(-1) }),
      step('b', 4, { expiresAt: later(-1) }),
    )
    const summaries = await steps().stepSummaries(scope, ['a', 'b', 'none'])
    expect(summaries.map(({ models, ...rest }) => ({ ...rest, models: models.toSorted() }))).toEqual([
      {
        id: 'a',
        firstAt: later(-99_000),
        lastAt: later(-97_000),
        steps: 3,
        models: ['acme/large', 'acme/small'],
        tags: ['x'],
        totalTokens: 45,
        costNano: 5n,
        lastFinishReason: null,
        expiresAt,
      },
    ])
  })

  it('returns the steps of one trace, the oldest first', async () => {
    const [third, first] = await store(step('a', 3), step('a', 1), step('b', 2), step('a', 4))
    const page = { behind: null, limit: 2 }
    const found = await steps().exchangesOf(scope, 'a', page)
    expect(found.map(({ id }) => id)).toEqual([first, third])
    expect(await steps().exchangesOf({ ...scope, workspaceId: outsider }, 'a', page)).toEqual([])
  })

  it('returns the steps of one trace in pages, also those of one moment, and its newest step', async () => {
    await store(step('a', 3), step('a', 1), step('b', 2), step('a', 2), step('a', 2), step('a', 2))
    const all = await steps().exchangesOf(scope, 'a', { behind: null, limit: 9 })
    const pages = []
    for await (const page of stepPages(steps(), scope, { traceId: 'a', limit: 9 })) pages.push(...page)
    const single = []
    for (let behind = null as LoggedExchange | null, n = 0; n < 5; n += 1) {
      const [next] = await steps().exchangesOf(scope, 'a', { behind, limit: 1 })
      behind = next ?? null
      single.push(next?.id)
    }
    const ids = all.map(({ id }) => id)
    expect(ids).toHaveLength(5)
    expect(pages.map(({ id }) => id)).toEqual(ids)
    expect(single).toEqual(ids)
    expect((await steps().lastOf(scope, 'a'))?.id).toBe(ids[4])
    expect(await steps().lastOf({ ...scope, workspaceId: outsider }, 'a')).toBeNull()
  })
}
