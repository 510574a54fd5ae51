import { dayMs } from '@ratchet/service-kit/timing/durations'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { UnstorableExchange } from '../exchanges/exchange-log.ts'
import { expiryDay } from '../exchanges/expiry-day.ts'
import { unsegmented } from '../exchanges/log-database.fixture.ts'
import type { ExchangeFields } from '../exchanges/logged-exchanges.fixture.ts'
import type { StoreUnderTest } from './store-under-test.fixture.ts'

const at = new Date()
const later = (ms: number) => new Date(at.getTime() + ms)
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const scope = { workspaceId, at }
const traceId = 'a'.repeat(32)
const spanId = 'b'.repeat(16)

/** What every store of exchanges guarantees to those who write, and to retention. */
export function exchangeWritesContract(create: () => Promise<StoreUnderTest>): void {
  let tested: StoreUnderTest
  beforeAll(async () => {
    tested = await create()
    await tested.addWorkspace(workspaceId, 30)
  }, 300_000)
  afterAll(() => tested.drop())
  beforeEach(async () => {
    await tested.clear()
    await tested.setRetention(workspaceId, 30)
  })

  const put = (...fields: ExchangeFields[]) => tested.put(scope, fields)
  const stored = async () => {
    const rows = await tested.store.reads.page({ ...scope, filter: {}, limit: 100, offset: 0, after: null })
    return rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  }

  it('stores a request once, with its first id, also when it is delivered again under another one', async () => {
    const { log } = tested.store
    const [first, second] = [unsegmented(1, { workspaceId }), unsegmented(2, { workspaceId })]
    expect(await log.write([first, second])).toBe(2)
    expect(await log.write([{ ...first, id: uuidV7(Date.now()) }, unsegmented(3, { workspaceId })])).toBe(1)
    expect((await stored()).map(({ id }) => id)).toEqual([first.id, second.id, unsegmented(3).id])
    const other = { ...first, workspaceId: outsider, id: uuidV7(Date.now()) }
    expect(await log.write([other])).toBe(1)
  })

  it('stores a request once when it is delivered twice at the same time', async () => {
    const { log } = tested.store
    const twice = () =>
      [1, 2, 3].map((n) => ({ ...unsegmented(n, { workspaceId, createdAt: at }), id: uuidV7(Date.now()) }))
    await Promise.all([log.write(twice()), log.write(twice())])
    expect(await stored()).toHaveLength(3)
    expect(await tested.countStored(workspaceId)).toBe(3)
  })

  it('stores all or nothing, and throws UnstorableExchange when a retry cannot succeed', async () => {
    const { log } = tested.store
    const good = unsegmented(1, { workspaceId })
    const bad = { ...unsegmented(2, { workspaceId }), promptTokens: 2 ** 40 }
    await expect(log.write([good, bad])).rejects.toThrow(UnstorableExchange)
    const old = unsegmented(3, { workspaceId, createdAt: new Date('2020-01-01') })
    await expect(log.write([old])).rejects.toThrow(UnstorableExchange)
    expect(await stored()).toEqual([])
    expect(await log.write([good])).toBe(1)
  })

  it('finds the segments of exchanges: one for prompts that differ in their variable parts', async () => {
    const prompt = (name: string) => `You are the support assistant of ${name}. Today is 2026-11-${name.length + 10}.`
    const systems = [prompt('Acme'), prompt('Initech'), undefined]
    const exchanges = systems.map((system, n) =>
      unsegmented(n + 1, { workspaceId, ...(system === undefined ? {} : { system }) }),
    )
    await tested.store.log.write(exchanges)
    const [acme, initech, none] = await stored()
    expect(none).toMatchObject({ segment: 'none', segmentExact: 'none' })
    expect(acme?.segment).toMatch(/^seg_[0-9a-f]{16}$/)
    expect(initech?.segment).toBe(acme?.segment)
    expect(initech?.segmentExact).not.toBe(acme?.segmentExact)
    const { data } = await tested.store.segments.list({ ...scope, limit: 5, offset: 0 })
    expect(data.find(({ segment }) => segment === acme?.segment)).toMatchObject({
      exchanges: 2,
      label: expect.any(String),
    })
  })

  it('knows the requests and entries of an import that are in the log', async () => {
    const [request, expired, foreign] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const [, entry = ''] = await put({ requestId: request }, {}, { requestId: expired, expiresAt: later(-1) })
    await tested.put({ workspaceId: outsider, at }, [{ requestId: foreign }])
    const entryIds = [entry, crypto.randomUUID()]
    const known = await tested.store.imports.known({
      ...scope,
      requestIds: [request, expired, foreign],
      entryIds,
    })
    expect([...known].toSorted()).toEqual([request, entry].toSorted())
  })

  it('finds the charged exchanges that are not in the log, each once', async () => {
    const [here, moved, missing] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const expiresAt = later(6 * dayMs)
    await put({ requestId: here, expiresAt }, { requestId: moved, expiresAt: later(2 * dayMs) })
    const charged = [here, moved, missing, missing].map((requestId) => ({
      workspaceId,
      requestId,
      expiresOn: expiryDay(expiresAt),
    }))
    expect(await tested.store.findMissing(charged)).toEqual([{ workspaceId, requestId: missing }])
    expect(await tested.store.findMissing([{ ...charged[0], workspaceId: outsider } as never])).toHaveLength(1)
    expect(await tested.store.findMissing([])).toEqual([])
  })

  describe('exchanges that spans describe', () => {
    const span = {
      traceId,
      spanId,
      parentSpanId: 'c'.repeat(16),
      startedAt: later(-1_000),
      latencyMs: 5_000,
      promptTokens: 10,
      completionTokens: 5,
      gatewayRequestId: null,
    }

    it('are found by their trace, by their span and by their request, and get the ids of their span', async () => {
      const requestId = crypto.randomUUID()
      const expiresAt = later(30 * dayMs)
      const [inTrace] = await put(
        { traceId, createdAt: at, expiresAt },
        { traceId, spanId: 'd'.repeat(16), createdAt: at, expiresAt },
        { requestId, createdAt: at, expiresAt },
      )
      await tested.put({ workspaceId: outsider, at }, [{ traceId, createdAt: at, expiresAt }])
      const spans = [span, { ...span, spanId: 'd'.repeat(16) }, { ...span, gatewayRequestId: requestId }]
      const found = await tested.store.described.related(workspaceId, spans, { retentionDays: 30 })
      expect([...found.known]).toEqual([traceId + 'd'.repeat(16)])
      expect(found.gatewayExchanges).toHaveLength(3)
      const named = found.gatewayExchanges.find((exchange) => exchange.requestId === requestId)
      const first = found.gatewayExchanges.find(({ id }) => id === inTrace)
      if (named === undefined || first === undefined) throw new Error('not found')

      const duplicates = [first, named].map((exchange, n) => ({ exchange, span: { ...span, spanId: `${n}` } }))
      await tested.store.described.attach(outsider, duplicates)
      expect((await stored()).map((row) => row.spanId).filter((id) => id !== null)).toEqual(['d'.repeat(16)])
      await tested.store.described.attach(workspaceId, duplicates)
      await tested.store.described.attach(workspaceId, [{ exchange: first, span: { ...span, spanId: '9' } }])
      const rows = new Map((await stored()).map((row) => [row.id, row]))
      expect(rows.size).toBe(3)
      expect(rows.get(first.id)).toMatchObject({ traceId, spanId: '0', parentSpanId: span.parentSpanId })
      expect(rows.get(named.id)).toMatchObject({ traceId, spanId: '1', parentSpanId: span.parentSpanId })
    })

    it('become one exchange with the ids of the span when both arrived', async () => {
      const [gateway] = await put(
        { traceId, createdAt: later(-500) },
        {
          traceId,
          spanId,
          parentSpanId: span.parentSpanId,
          source: 'otlp',
          createdAt: span.startedAt,
          latencyMs: 5_000,
        },
      )
      const written = { workspaceId, traceIds: [traceId], from: later(-1_000), to: at }
      await tested.store.described.merge({ ...written, workspaceId: outsider })
      expect(await stored()).toHaveLength(2)
      await tested.store.described.merge(written)
      await tested.store.described.merge(written)
      expect(await stored()).toMatchObject([
        { id: gateway, source: 'gateway', spanId, parentSpanId: span.parentSpanId },
      ])
      expect(await tested.countStored(workspaceId)).toBe(1)
    })
  })

  describe('a sweep', () => {
    const daysLeft = async () =>
      (await stored()).map(({ expiresAt }) => Math.round((expiresAt.getTime() - at.getTime()) / dayMs)).toSorted()

    it('changes nothing that has not expired', async () => {
      await put({ expiresAt: later(dayMs) }, { expiresAt: later(20 * dayMs) })
      expect(await tested.store.retention.sweep(new Date())).toMatchObject({ deletedRows: 0, shortenedRows: 0 })
      expect(await daysLeft()).toEqual([1, 20])
    })

    it('brings expiry forward after a shorter retention, and never extends it', async () => {
      const created = (days: number) => ({ createdAt: later(-days * dayMs), expiresAt: later((30 - days) * dayMs) })
      await put(created(0), created(3), created(10))
      await tested.setRetention(workspaceId, 7)
      expect(await tested.store.retention.sweep(new Date())).toMatchObject({ shortenedRows: 2 })
      expect(await daysLeft()).toEqual([4, 7])
      await tested.setRetention(workspaceId, 30)
      expect(await tested.store.retention.sweep(new Date())).toMatchObject({ shortenedRows: 0 })
      expect(await daysLeft()).toEqual([4, 7])
    })

    it('deletes everything of a deleted workspace', async () => {
      const deleted = crypto.randomUUID()
      await tested.put({ workspaceId: deleted, at }, [{}, {}])
      await put({})
      expect(await tested.store.retention.sweep(new Date())).toMatchObject({ deletedRows: 2 })
      expect(await tested.countStored(deleted)).toBe(0)
      expect(await stored()).toHaveLength(1)
    })
  })
}
