import { dayMs } from '@ratchet/service-kit/timing/durations'
import fc from 'fast-check'
import type { ExchangeFilter, Place } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { ExchangeFields } from '../exchanges/logged-exchanges.fixture.ts'
import type { StoreUnderTest } from './store-under-test.fixture.ts'

const at = new Date()
const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
/** A workspace without an exchange. */
const silent = '00000000-0000-7000-8000-0000000000cc'
const later = (ms: number) => new Date(at.getTime() + ms)
const words = (text: string) => ({ content: { messages: JSON.stringify([{ role: 'user', content: text }]) } })
const labelled = (params: object, conversationId: string | null = null) => ({
  conversationId,
  content: { params: JSON.stringify(params) },
})
const signs = "a' OR 1=1 -- \\ {b:String} \t"
const idsOf = (exchanges: readonly LoggedExchange[]) => exchanges.map(({ id }) => id)

/** What every store of exchanges guarantees to those who read and delete. */
export function exchangeReadsContract(create: () => Promise<StoreUnderTest>): void {
  let tested: StoreUnderTest
  beforeAll(async () => {
    tested = await create()
  }, 300_000)
  afterAll(() => tested.drop())
  beforeEach(() => tested.clear())

  const store = (...fields: ExchangeFields[]) => tested.put({ workspaceId, at }, fields)
  const reads = () => tested.store.reads

  async function pageIds(filter: ExchangeFilter, limit = 50) {
    return idsOf(await reads().page({ workspaceId, at, filter, limit, offset: 0, after: null }))
  }

  async function totalOf(filter: ExchangeFilter, maxTotal: number, moment = at) {
    const request = { workspaceId, at: moment, filter, limit: 1, offset: 0, after: null, maxTotal }
    return (await reads().list(request)).total
  }

  /** Every page in turn, by `after`. */
  async function pages(filter: ExchangeFilter, limit: number): Promise<string[]> {
    const all: string[] = []
    for (let after: Place | null = null; ; ) {
      const page = await reads().page({ workspaceId, at, filter, limit, offset: 0, after })
      all.push(...idsOf(page))
      after = page.at(-1) ?? null
      if (page.length < limit || after === null) return all
    }
  }

  it.each<[string, ExchangeFilter, ExchangeFields, ExchangeFields]>([
    ['model', { model: 'acme/small' }, { servedModel: 'acme/small' }, { requestedModel: 'acme/small' }],
    ['tag', { tag: 'a' }, { tag: 'a' }, {}],
    ['a tag with signs of statements', { tag: signs }, { tag: signs }, { tag: 'a' }],
    ['all but some tags', { excludedTags: ['x', signs] }, { tag: 'a' }, { tag: signs }],
    ['segment', { segment: 'none' }, { segment: 'none' }, {}],
    ['finish reason', { finishReason: 'length' }, { finishReason: 'length' }, { finishReason: null }],
    ['cached', { cached: true }, { cached: true }, {}],
    ['not cached', { cached: false }, {}, { cached: true }],
    ['from a moment on', { start: at }, { createdAt: at }, { createdAt: later(-1) }],
    ['before a moment', { end: at }, { createdAt: later(-1) }, { createdAt: at }],
    ['trace', { traceId: 't' }, { traceId: 't' }, { traceId: 'T' }],
    ['alias', { alias: 'a' }, { alias: 'a' }, { requestedModel: 'a' }],
    ['canary', { canary: true }, { canary: true }, {}],
    ['no canary', { canary: false }, {}, { canary: true }],
    ['cost', { minCostNano: 5n }, { costNano: 5n }, { costNano: 4n }],
    ['a cost that was not charged', { minCostNano: 0n }, { costNano: 0n }, { costNano: null }],
    ['tool calls', { hasToolCalls: true }, { hasToolCalls: true }, {}],
    ['words', { words: 'RED fox' }, words('a fox, and then:\nred "wine"'), words('a fox')],
    ['words behind quotes and tabs', { words: 'wine' }, words('"wine"\tand'), words('whine')],
    ['two at once', { tag: 'a', model: 'm' }, { tag: 'a', servedModel: 'm' }, { tag: 'a' }],
    ['user', { user: 'ann' }, labelled({ user: 'ann' }), labelled({ user: 'Ann' })],
    ['user who is also written of', { user: 'ann' }, labelled({ user: 'ann' }), words('ann')],
    ['conversation', { conversationId: 'c1' }, labelled({}, 'c1'), labelled({ user: 'c1' })],
    [
      'metadata',
      { metadata: 'plan=pro=2' },
      labelled({ metadata: { plan: 'pro=2' } }),
      labelled({ metadata: { a: 'b' } }),
    ],
    ['a user and a tag', { user: 'a', tag: 't' }, { ...labelled({ user: 'a' }), tag: 't' }, labelled({ user: 'a' })],
    ['words and a tag', { words: 'fox', tag: 'a' }, { ...words('fox'), tag: 'a' }, words('fox')],
  ])('finds by %s', async (_name, filter, requested, other) => {
    const [id] = await store(requested, other)
    await tested.put({ workspaceId: outsider, at }, [requested])

    expect(await pageIds(filter)).toEqual([id])
    expect(await totalOf(filter, 10)).toBe(1)
  })

  it('returns every member of an exchange as it was stored', async () => {
    const fields = {
      requestId: crypto.randomUUID(),
      createdAt: later(-5),
      expiresAt: later(3 * dayMs + 7),
      source: 'import',
      alias: "a'b\\c\n😀",
      fallbackFrom: 'acme/other',
      tag: '',
      traceId: 't',
      spanId: 's',
      parentSpanId: 'p',
      conversationId: 'c',
      finishReason: null,
      stream: true,
      reasoningTokens: 3,
      costNano: 2n ** 60n + 1n,
      latencyMs: 0.1,
      ttftMs: 12.25,
      redactionCount: 2,
      redactionKinds: ['email', 'api_key'],
      promptHash: Buffer.from('00ff'.repeat(16), 'hex'),
    } as const
    const content = { messages: '[{"role":"user","content":"\\u0000 é \\n"}]', tools: '[1]', responseFormat: '{"a":1}' }
    const [id = ''] = await store({ ...fields, content })
    const found = await reads().get({ workspaceId, at }, id)
    expect(found).toMatchObject({ id, workspaceId, ...fields })
    const contents = await reads().contents({ workspaceId }, found === null ? [] : [found])
    expect(contents.get(id)).toMatchObject({ ...content, params: '{"temperature":0}' })
  })

  it('shows no expired exchange, also before it is swept', async () => {
    const [id = ''] = await store({ expiresAt: later(1) })
    expect(await reads().get({ workspaceId, at }, id)).toMatchObject({ id })
    expect(await reads().get({ workspaceId, at: later(1) }, id)).toBeNull()
    expect(await reads().page({ workspaceId, at: later(1), filter: {}, limit: 9, offset: 0, after: null })).toEqual([])
    expect(await totalOf({}, 9, later(1))).toBe(0)
    expect(await reads().delete({ workspaceId, at: later(1) }, id)).toBe(false)
  })

  it('deletes an entry with its content, and only for its own workspace', async () => {
    const [id = '', kept] = await store({}, {})
    const row = await reads().get({ workspaceId, at }, id)
    expect(await reads().get({ workspaceId: outsider, at }, id)).toBeNull()
    expect(await reads().delete({ workspaceId: outsider, at }, id)).toBe(false)
    expect(await reads().delete({ workspaceId, at }, id)).toBe(true)
    expect(await reads().delete({ workspaceId, at }, id)).toBe(false)
    expect(await reads().contents({ workspaceId }, row === null ? [] : [row])).toEqual(new Map())
    expect(await pageIds({})).toEqual([kept])
    expect(await tested.countStored(workspaceId)).toBe(1)
  })

  it('finds the exchange of a request, in its own workspace and until it expires', async () => {
    const requestId = crypto.randomUUID()
    const [id = ''] = await store({ requestId, expiresAt: later(dayMs) }, {})
    expect(await reads().ofRequest({ workspaceId, at }, requestId)).toMatchObject({ id, requestId })
    expect(await reads().ofRequest({ workspaceId: outsider, at }, requestId)).toBeNull()
    expect(await reads().ofRequest({ workspaceId, at: later(dayMs) }, requestId)).toBeNull()
    expect(await reads().ofRequest({ workspaceId, at }, crypto.randomUUID())).toBeNull()
  })

  it('counts up to the given maximum', async () => {
    await store({}, {}, {})
    expect(await totalOf({}, 2)).toBe(2)
  })

  it('numbers steps among all steps of their traces, not only the requested ones', async () => {
    const fields = [3, 1, 2].map((second) => ({ traceId: 't', createdAt: later(second * 1_000 - dayMs) }))
    const [third = '', first = ''] = await store(...fields, { traceId: 'u' })
    const found = await Promise.all([third, first].map((id) => reads().get({ workspaceId, at }, id)))
    const steps = await reads().stepIndexes(
      { workspaceId, at },
      found.filter((each) => each !== null),
    )
    expect(steps.size).toBe(2)
    expect([steps.get(first), steps.get(third)]).toEqual([0, 2])
  })

  it.each<[string, ExchangeFilter]>([
    ['everything', {}],
    ['a tag', { tag: 'a' }],
    ['words', { words: 'capital france' }],
  ])(
    'cuts a list of %s into pages that are the complete list in its order',
    async (_name, filter) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyFields, { maxLength: 12 }),
          fc.integer({ min: 1, max: 5 }),
          async (fields, limit) => {
            await tested.clear()
            const ids = await store(...fields)
            const expected = fields
              .map((each, index) => ({ ...each, id: ids[index] ?? '' }))
              .filter(({ tag }) => filter.tag === undefined || tag === filter.tag)
              .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
              .map(({ id }) => id)
            expect(await pages(filter, limit)).toEqual(expected)
            const offsets = Array.from({ length: Math.ceil(ids.length / limit) }, (_, index) => index * limit)
            const byOffset = await Promise.all(
              offsets.map((offset) => reads().page({ workspaceId, at, filter, limit, offset, after: null })),
            )
            expect(byOffset.flatMap(idsOf)).toEqual(expected)
          },
        ),
        { numRuns: 10 },
      )
    },
    60_000,
  )

  it('counts the exchanges of segments, and finds the newest of each', async () => {
    const fields = [
      { segment: 'often', segmentExact: 'x', createdAt: later(-3_000) },
      { segment: 'often', segmentExact: 'y', createdAt: later(-1_000), sizeBytes: 7 },
      { segment: 'seldom', segmentExact: 'z', createdAt: later(-2_000) },
    ]
    const [, newest = ''] = await store(...fields)
    await tested.put({ workspaceId: outsider, at }, fields)
    const { data, total } = await tested.store.segments.list({ workspaceId, at, limit: 1, offset: 0 })
    expect(total).toBe(2)
    expect(data).toMatchObject([{ segment: 'often', label: null, exchanges: 2, exactVariants: 2 }])
    expect(data[0]).toMatchObject({ firstAt: later(-3_000), lastAt: later(-1_000) })
    expect(data[0]?.newest).toMatchObject({ id: newest, createdAt: later(-1_000), sizeBytes: 7 })
    expect(await tested.store.segments.list({ workspaceId, at, limit: 1, offset: 1 })).toMatchObject({
      data: [{ segment: 'seldom' }],
      total: 2,
    })
    const totals = { exchanges: 3, firstAt: later(-3_000) }
    expect(await tested.store.segments.totals({ workspaceId, at })).toEqual(totals)
    expect(await tested.store.segments.totals({ workspaceId: silent, at })).toEqual({ exchanges: 0, firstAt: null })
  })
}

/**
 * Few distinct times, so that many exchanges have the same one, and retentions with which a newer exchange may expire
 * earlier.
 */
const anyFields = fc.record({
  createdAt: fc.integer({ min: 0, max: 5 }).map((second) => later(second * 1_000 - dayMs)),
  expiresAt: fc.constantFrom(1, 3, 20).map((days) => later(days * dayMs)),
  tag: fc.constantFrom('a', 'b', null),
})
