import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'
import type { ExchangeFields } from '../exchanges/logged-exchanges.fixture.ts'
import { bucketsOf } from '../overview/count-buckets.ts'
import type { StoreUnderTest } from './store-under-test.fixture.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const later = (ms: number) => new Date(at.getTime() + ms)

/** What every store of exchanges guarantees to those who count them by time. */
export function exchangeCountsContract(create: () => Promise<StoreUnderTest>): void {
  let tested: StoreUnderTest
  beforeAll(async () => {
    tested = await create()
  }, 300_000)
  afterAll(() => tested.drop())
  beforeEach(() => tested.clear())

  const store = (...fields: ExchangeFields[]) => tested.put({ workspaceId, at }, fields)
  const start = later(-40_000)
  const end = later(0)
  const count = (filter: ExchangeFilter = {}) =>
    tested.store.counts.byTime({
      workspaceId,
      at,
      filter: { ...filter, start, end },
      buckets: bucketsOf(start, end, 4),
    })

  it('counts in equal parts from the start, which counts, to the end, which does not', async () => {
    await store(
      { createdAt: later(-40_001) },
      { createdAt: start },
      { createdAt: later(-30_001) },
      { createdAt: later(-30_000) },
      { createdAt: later(-1) },
      { createdAt: end },
    )
    expect(await count()).toEqual([2, 1, 0, 1])
  })

  it('counts what matches the filters, with words too', async () => {
    const content = { messages: '[{"role":"user","content":"a red fox"}]' }
    await store(
      { createdAt: later(-35_000), tag: 'a' },
      { createdAt: later(-5_000), tag: 'a', content },
      { createdAt: later(-5_000), tag: 'b', content },
    )
    expect(await count({ tag: 'a' })).toEqual([1, 0, 0, 1])
    expect(await count({ words: 'fox', tag: 'a' })).toEqual([0, 0, 0, 1])
    expect(await count({ words: '...' })).toEqual([0, 0, 0, 0])
  })

  it('counts nothing of other workspaces, and nothing that has expired', async () => {
    await tested.put({ workspaceId: outsider, at }, [{ createdAt: later(-5_000) }])
    await store({ createdAt: later(-5_000), expiresAt: later(-1) })
    expect(await count()).toEqual([0, 0, 0, 0])
  })
}
