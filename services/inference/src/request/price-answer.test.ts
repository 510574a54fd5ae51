import { generatedText } from '../pricing/generated-text.ts'
import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { noUsage } from '../wire/usage.ts'
import { brokenStreamNano, type CountTokens, guessCostNano, priceAnswer, type SeenAnswer } from './price-answer.ts'
import { plannedRequest, question } from './request-records.fixture.ts'

const countWords: CountTokens = async (_model, texts) => texts.join(' ').split(' ').length
const cannotCount: CountTokens = async () => null

function seen(changes: Partial<SeenAnswer> = {}): SeenAnswer {
  const planned = plannedRequest()
  const [{ request }] = planned.candidates
  const nothing = { usage: null, isUsageFinal: true, generated: generatedText([]), hiddenTokens: 0, owesPrompt: false }
  return { request, facts: planned.facts, ...nothing, ...changes }
}

/** Priced for `acme/fast`, which costs 0.15 and 0.60 dollars per million tokens. */
const reported = { ...noUsage, promptTokens: 1_000, completionTokens: 500 }

describe('priceAnswer', () => {
  it('uses plausible usage of the provider', async () => {
    expect(await priceAnswer(cannotCount, seen({ usage: reported }))).toEqual({
      usage: reported,
      isReported: true,
      costNano: 450_000n,
    })
  })

  it('accepts an explicit zero', async () => {
    expect(await priceAnswer(countWords, seen({ usage: noUsage, generated: generatedText(['blue']) }))).toMatchObject({
      isReported: true,
      costNano: 0n,
    })
  })

  it.each([
    ['negative', { ...reported, completionTokens: -1 }],
    ['fractional', { ...reported, promptTokens: 1.5 }],
    ['absurd', { ...reported, promptTokens: 1e12 }],
    ['more than the window', { ...reported, promptTokens: 1e9 }],
    ['more than the model writes', { ...reported, completionTokens: 999_999 }],
    ['not a number', { ...reported, completionTokens: Number.NaN }],
    ['missing', null],
  ])('counts the tokens itself when usage is %s', async (_name, usage) => {
    const priced = await priceAnswer(
      countWords,
      seen({ usage, generated: generatedText(['scattered', ' light', ' is blue']) }),
    )
    expect(priced).toMatchObject({ isReported: false, usage: { promptTokens: 5, completionTokens: 4 } })
    // 5 × 0.15 + 4 × 0.60 = 3.15 µ$, rounded up.
    expect(priced.costNano).toBe(4_000n)
  })

  it.each([
    [
      'the count, which is larger',
      { promptTokens: 7, completionTokens: 1 },
      0,
      { promptTokens: 7, completionTokens: 4 },
    ],
    [
      'the report, which is larger',
      { promptTokens: 7, completionTokens: 9 },
      0,
      { promptTokens: 7, completionTokens: 9 },
    ],
    ['hidden reasoning', { promptTokens: 7, completionTokens: 9 }, 19.5, { promptTokens: 7, completionTokens: 24 }],
    ['a counted prompt', { promptTokens: 0, completionTokens: 9 }, 0, { promptTokens: 5, completionTokens: 9 }],
  ])(
    'takes a usage that was reported before the end as a lower bound: %s',
    async (_name, early, hiddenTokens, usage) => {
      const generated = generatedText(['scattered', ' light', ' is blue'])
      const changes = { usage: { ...noUsage, ...early }, isUsageFinal: false, generated, hiddenTokens }
      expect(await priceAnswer(countWords, seen(changes))).toMatchObject({ usage })
    },
  )

  it('charges the prompt of a call that its client left before anything was generated', async () => {
    const priced = await priceAnswer(countWords, seen({ isUsageFinal: false, owesPrompt: true }))
    expect(priced).toMatchObject({ isReported: false, usage: { promptTokens: 5, completionTokens: 0 } })
  })

  it('charges the searches that a stream showed before its client left, and the prompt that was read again', async () => {
    const { request } = seen()
    const tool = { kind: 'search', perCallNano: 10_000_000n, maxResultTokens: 1_000 } as const
    const model = { ...request.model, hostedTools: new Map([['web_search', tool]]) }
    const body = { ...request.body, tools: [{ type: 'web_search' }] }
    const searched = { ...request, dialect: 'responses' as const, model, body }
    const left = { usage: null, isUsageFinal: false, owesPrompt: true, generated: generatedText(['blue']) }
    const plain = await priceAnswer(countWords, seen({ ...left, request: searched }))
    const hostedCalls = { webSearches: 2, containers: 0 }
    const priced = await priceAnswer(countWords, seen({ ...left, request: searched, hostedCalls }))
    const { promptTokens } = plain.usage
    expect(priced.usage).toMatchObject({ webSearches: 2, promptTokens: promptTokens + 2 * (promptTokens + 1_000) })
    expect(priced.costNano - plain.costNano).toBeGreaterThanOrEqual(20_000_000n)
    const openCalls = { webSearches: 1, containers: 0 }
    const withOpen = await priceAnswer(countWords, seen({ ...left, request: searched, hostedCalls, openCalls }))
    // What has not ended costs its price, and no reading of results.
    expect(withOpen.usage).toEqual({ ...priced.usage, webSearches: 3 })
    const onlyOpen = await priceAnswer(countWords, seen({ ...left, request: searched, openCalls }))
    expect(onlyOpen.usage.webSearches).toBe(1)
    expect(onlyOpen.costNano).toBeGreaterThanOrEqual(10_000_000n)
  })

  describe('of a request with searches', () => {
    const { request } = seen()
    const tool = { kind: 'search', perCallNano: 10_000_000n, maxResultTokens: 1_000 } as const
    const above = (abovePromptTokens: number) => ({ ...request.model.rates, input: 1_000_000n, abovePromptTokens })
    const searching = (abovePromptTokens: number) => ({
      ...request,
      dialect: 'responses' as const,
      model: { ...request.model, hostedTools: new Map([['web_search', tool]]), tiers: [above(abovePromptTokens)] },
      body: { ...request.body, tools: [{ type: 'web_search' }] },
    })
    const used = { ...noUsage, promptTokens: 30, webSearches: 3 }

    it('prices long prompts by the longer of the mean and the first one, which it counts as at most half of all', async () => {
      const price = async (abovePromptTokens: number, count: CountTokens) =>
        (await priceAnswer(count, seen({ usage: used, request: searching(abovePromptTokens) }))).costNano
      const usual = 30_000_000n + 5_000n
      const long = 30_000_000n + 30_000n
      const exact = async () => 20
      const prices = await Promise.all([7, 8, 14, 15].map((above) => price(above, exact)))
      expect(prices).toEqual([long, long, long, usual])
      expect(await price(8, async () => 9)).toBe(long)
      expect(await price(9, async () => 9)).toBe(usual)
      expect(await price(14, cannotCount)).toBe(usual)
    })

    it('owes the searches of a broken stream alone, at most as many as it may have', () => {
      const owed = (changes: Partial<SeenAnswer>) => brokenStreamNano(seen({ request: searching(1), ...changes }))
      expect(owed({ generated: generatedText(['blue']) })).toBe(0n)
      expect(owed({ hostedCalls: { webSearches: 2, containers: 0 } })).toBe(20_000_000n)
      expect(owed({ hostedCalls: { webSearches: 1, containers: 0 }, usage: used })).toBe(30_000_000n)
      expect(owed({ hostedCalls: { webSearches: 9_999, containers: 0 } })).toBe(40_000_000n)
      expect(brokenStreamNano(seen({ hostedCalls: { webSearches: 2, containers: 0 } }))).toBe(0n)
    })
  })

  it('charges nothing for a chat without generated text', async () => {
    expect(await priceAnswer(countWords, seen())).toEqual({ usage: noUsage, isReported: false, costNano: 0n })
  })

  it('estimates by lengths when counting takes too long', async () => {
    const priced = await priceAnswer(cannotCount, seen({ generated: generatedText(['x'.repeat(400)]) }))
    const { promptTokens, completionTokens } = priced.usage
    expect([promptTokens, completionTokens]).toEqual([Math.ceil(JSON.stringify(question).length / 4), 100])
    expect(priced.costNano).toBe(guessCostNano(seen({ generated: generatedText(['x'.repeat(400)]) })))
  })

  it('charges the prompt of embeddings, including token ids', async () => {
    const planned = plannedRequest({ model: 'acme/embed', input: [[1, 2, 3], [4]] }, { surface: embeddingsSurface })
    const [{ request }] = planned.candidates
    const count: CountTokens = async (_model, texts) => texts.length
    const priced = await priceAnswer(count, seen({ request, facts: planned.facts }))
    expect(priced).toMatchObject({ isReported: false, usage: { promptTokens: 4, completionTokens: 0 } })
  })
})

describe('guessCostNano', () => {
  it('uses the usage that has arrived', () => {
    expect(guessCostNano(seen({ usage: reported, generated: generatedText(['x']) }))).toBe(450_000n)
  })

  it('never decreases while pieces arrive', () => {
    const costs = [0, 1, 5, 50].map((count) =>
      guessCostNano(seen({ generated: generatedText(Array(count).fill('twelve chars')) })),
    )
    expect(costs).toEqual([...costs].sort((a, b) => Number(a - b)))
    expect(costs[0]).toBe(0n)
  })
})
