import { estimateCostUsd } from './estimate-cost.ts'

const model = {
  id: 'sim/judge',
  isChat: true,
  capabilities: ['chat'],
  inputPerMtok: 2.5,
  outputPerMtok: 10,
  maxOutputTokens: 16_384,
}

describe('the estimate of a cost', () => {
  it('counts one token for four bytes of prompt, and 200 tokens for each verdict', () => {
    // 10 rows of 400 bytes prompt and 2200 bytes around, and 20,000 bytes of content: 11,500 tokens in, 2,000 out.
    const basis = { rows: 10, contentBytes: 20_000, judgePrompt: 'x'.repeat(400), model }
    expect(estimateCostUsd(basis)).toBe(0.04875)
  })

  it('is a whole number of micro-dollars', () => {
    expect(estimateCostUsd({ rows: 1, contentBytes: 3, judgePrompt: '', model })).toBe(0.003378)
    expect(estimateCostUsd({ rows: 0, contentBytes: 0, judgePrompt: 'x', model })).toBe(0)
  })
})
