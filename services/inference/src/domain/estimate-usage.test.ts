import { chargeableUsage, estimateUsage } from './estimate-usage.ts'

describe('estimateUsage', () => {
  it('counts nothing, not even the prompt, when nothing was generated', () => {
    expect(estimateUsage({ promptBytes: 4_000, deltas: 0, characters: 0 })).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
    })
  })

  it('counts every streamed piece as a token at least, and large pieces by their length', () => {
    expect(estimateUsage({ promptBytes: 9, deltas: 5, characters: 4 })).toMatchObject({
      promptTokens: 3,
      completionTokens: 5,
    })
    expect(estimateUsage({ promptBytes: 9, deltas: 1, characters: 400 }).completionTokens).toBe(100)
  })
})

describe('chargeableUsage', () => {
  const seen = { promptBytes: 8, deltas: 2, characters: 8 }

  it('takes the provider`s zero for zero', () => {
    const zero = { promptTokens: 0, cachedPromptTokens: 0, completionTokens: 0, reasoningTokens: 0 }
    expect(chargeableUsage(zero, seen)).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })

  it.each([-1, 1.5, Number.NaN, 1e15])('estimates when the provider claims %d tokens', (completionTokens) => {
    const claimed = { promptTokens: 1, cachedPromptTokens: 0, completionTokens, reasoningTokens: 0 }
    expect(chargeableUsage(claimed, seen)).toMatchObject({ promptTokens: 2, completionTokens: 2 })
  })
})
