import { embeddingsSurface } from '../surfaces/embeddings/embeddings-surface.ts'
import { noUsage } from '../wire/usage.ts'
import { type CountTokens, guessCostNano, priceAnswer, type SeenAnswer } from './price-answer.ts'
import { plannedRequest, question } from './request-records.fixture.ts'

const countWords: CountTokens = async (_model, texts) => texts.join(' ').split(' ').length
const cannotCount: CountTokens = async () => null

function seen(changes: Partial<SeenAnswer> = {}): SeenAnswer {
  const planned = plannedRequest()
  const [{ request }] = planned.candidates
  return { request, facts: planned.facts, usage: null, pieces: [], ...changes }
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
    expect(await priceAnswer(countWords, seen({ usage: noUsage, pieces: ['blue'] }))).toMatchObject({
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
    const priced = await priceAnswer(countWords, seen({ usage, pieces: ['scattered', ' light', ' is blue'] }))
    expect(priced).toMatchObject({ isReported: false, usage: { promptTokens: 5, completionTokens: 4 } })
    // 5 × 0.15 + 4 × 0.60 = 3.15 µ$, rounded up.
    expect(priced.costNano).toBe(4_000n)
  })

  it('charges nothing for a chat without generated text', async () => {
    expect(await priceAnswer(countWords, seen())).toEqual({ usage: noUsage, isReported: false, costNano: 0n })
  })

  it('estimates by lengths when counting takes too long', async () => {
    const priced = await priceAnswer(cannotCount, seen({ pieces: ['x'.repeat(400)] }))
    const { promptTokens, completionTokens } = priced.usage
    expect([promptTokens, completionTokens]).toEqual([Math.ceil(JSON.stringify(question).length / 4), 100])
    expect(priced.costNano).toBe(guessCostNano(seen({ pieces: ['x'.repeat(400)] })))
  })

  it('charges the prompt of embeddings, including token ids', async () => {
    const planned = plannedRequest({ model: 'acme/embed', input: [[1, 2, 3], [4]] }, { surface: embeddingsSurface })
    const [{ request }] = planned.candidates
    const count: CountTokens = async (_model, texts) => texts.length
    const priced = await priceAnswer(count, { request, facts: planned.facts, usage: null, pieces: [] })
    expect(priced).toMatchObject({ isReported: false, usage: { promptTokens: 4, completionTokens: 0 } })
  })
})

describe('guessCostNano', () => {
  it('uses the usage that has arrived', () => {
    expect(guessCostNano(seen({ usage: reported, pieces: ['x'] }))).toBe(450_000n)
  })

  it('never decreases while pieces arrive', () => {
    const costs = [0, 1, 5, 50].map((count) => guessCostNano(seen({ pieces: Array(count).fill('twelve chars') })))
    expect(costs).toEqual([...costs].sort((a, b) => Number(a - b)))
    expect(costs[0]).toBe(0n)
  })
})
