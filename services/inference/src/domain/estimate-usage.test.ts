import { chargeableUsage, estimateUsage } from './estimate-usage.ts'

describe('estimateUsage', () => {
  it('counts nothing, not even the prompt, when nothing was generated', () => {
    expect(estimateUsage({ bodyBytes: 4_000, messages: [], deltas: 0, characters: 0 })).toMatchObject({
      promptTokens: 0,
      completionTokens: 0,
    })
  })

  it('counts every streamed piece as a token at least, and large pieces by their length', () => {
    expect(estimateUsage({ bodyBytes: 9, messages: [], deltas: 5, characters: 4 })).toMatchObject({
      promptTokens: 3,
      completionTokens: 5,
    })
    expect(estimateUsage({ bodyBytes: 9, messages: [], deltas: 1, characters: 400 }).completionTokens).toBe(100)
  })

  it('counts an image by the piece, not by its bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(4_000_000)}`
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'x' },
        ],
      },
    ]
    const bodyBytes = Buffer.byteLength(JSON.stringify({ messages }))
    const { promptTokens } = estimateUsage({ bodyBytes, messages, deltas: 4, characters: 16 })
    expect(promptTokens).toBeLessThan(1_100)
    expect(promptTokens).toBeGreaterThan(1_000)
  })

  it('survives messages of any shape', () => {
    const messages = [null, 7, 'x', { content: null }, { content: [null, 7, { image_url: null }, { file: {} }] }]
    expect(estimateUsage({ bodyBytes: 40, messages, deltas: 1, characters: 1 }).promptTokens).toBe(10)
  })
})

describe('chargeableUsage', () => {
  const seen = { bodyBytes: 8, messages: [], deltas: 2, characters: 8 }

  it('takes the provider`s zero for zero', () => {
    const zero = { promptTokens: 0, cachedPromptTokens: 0, completionTokens: 0, reasoningTokens: 0 }
    expect(chargeableUsage(zero, seen)).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })

  it.each([-1, 1.5, Number.NaN, 1e15])('estimates when the provider claims %d tokens', (completionTokens) => {
    const claimed = { promptTokens: 1, cachedPromptTokens: 0, completionTokens, reasoningTokens: 0 }
    expect(chargeableUsage(claimed, seen)).toMatchObject({ promptTokens: 2, completionTokens: 2 })
  })
})
