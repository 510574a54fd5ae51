import { type CostBasis, estimateCost } from './estimate-cost.ts'

const price = (inputPerMtok: number, outputPerMtok: number) => ({ inputPerMtok, outputPerMtok, maxOutputTokens: 5_000 })

const basis: CostBasis = {
  tokens: [
    { prompt: 1_000, completion: 100 },
    { prompt: 3_000, completion: 300 },
  ],
  repetitions: 1,
  maxTokens: undefined,
  baseline: price(1, 10),
  candidates: [price(2, 20)],
  judge: price(0, 0),
  rubricBytes: 0,
  showsReference: false,
}
const costOf = (more: Partial<CostBasis>) => estimateCost({ ...basis, ...more })

describe('the cost of answers', () => {
  it.each<[string, Partial<CostBasis>, number]>([
    ['every model on every prompt', {}, (4_000 * 3 + 400 * 30) / 1e6],
    ['nothing for stored answers', { baseline: null }, (4_000 * 2 + 400 * 20) / 1e6],
    ['each candidate', { candidates: [price(2, 20), price(0, 1)] }, (4_000 * 3 + 400 * 31) / 1e6],
    ['each repetition', { repetitions: 3 }, (3 * (4_000 * 3 + 400 * 30)) / 1e6],
    ['max_tokens as the limit of an answer', { maxTokens: 150 }, (4_000 * 3 + 250 * 30) / 1e6],
    ['the logged length below max_tokens', { maxTokens: 301 }, (4_000 * 3 + 400 * 30) / 1e6],
    ['nothing without prompts', { tokens: [] }, 0],
    [
      'one micro-dollar at least',
      { tokens: [{ prompt: 1, completion: 0 }], candidates: [], baseline: price(0.1, 0) },
      1e-6,
    ],
  ])('counts %s', (_case, more, usd) => {
    expect(costOf(more).answersUsd).toBeCloseTo(usd, 9)
  })
})

describe('the cost of verdicts', () => {
  const judge = price(1, 10)
  const [input, output, frames, preferences] = [4_000, 400, 2 * 700, 2 * 200]
  const verdictMicro = (answers: number, rubric = 0) =>
    input + answers * output + frames + 2 * rubric + 10 * preferences

  it.each<[string, Partial<CostBasis>, number]>([
    ['two verdicts on each pair', {}, 2 * verdictMicro(2)],
    ['each candidate', { candidates: [price(0, 0), price(9, 9), price(1, 1)] }, 3 * 2 * verdictMicro(2)],
    ['the same pairs with stored answers', { baseline: null }, 2 * verdictMicro(2)],
    ['the reference too where it is shown', { showsReference: true }, 2 * verdictMicro(3)],
    ['the rubric, in each verdict', { rubricBytes: 400 }, 2 * verdictMicro(2, 100)],
    ['each repetition', { repetitions: 5 }, 5 * 2 * verdictMicro(2)],
  ])('counts %s', (_case, more, micro) => {
    expect(costOf({ judge, ...more }).judgeUsd).toBeCloseTo(micro / 1e6, 9)
  })
})

it('is whole micro-dollars, rounded up', () => {
  const { answersUsd, judgeUsd } = costOf({
    tokens: [{ prompt: 7, completion: 3 }],
    candidates: [price(0.0375, 0.15)],
    judge: price(0.0375, 0.15),
  })
  expect([answersUsd, judgeUsd]).toEqual([0.000038, 0.000114])
})

describe('the cost of the longest call', () => {
  it.each<[string, Partial<CostBasis>, number]>([
    ['the dearest model, with as many tokens as it may write', {}, (3_000 * 4 * 2 + 5_000 * 20) / 1e6],
    ['`max_tokens` instead, if lower', { maxTokens: 100 }, (3_000 * 4 * 2 + 100 * 20) / 1e6],
    ['nothing without models', { baseline: null, candidates: [] }, 0],
  ])('is that of %s', (_case, more, usd) => {
    expect(costOf(more).longestCallUsd).toBeCloseTo(usd, 9)
  })
})
