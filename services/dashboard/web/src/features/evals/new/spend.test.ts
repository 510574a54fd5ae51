import { covers, estimateOf, proposedCap } from './spend.ts'

it('adds answers and judging without rounding', () => {
  expect(estimateOf({ estimated_cost_usd: 0.1, judge_cost_usd: 0.200001 })).toBe('300001')
})

it.each([
  ['300001', '0', '0.360002'],
  ['1000000', '50000', '1.25'],
  ['0', '0', '0.000001'],
])('proposes for %s, with calls of %s, at most %s', (micro, longestCall, usd) => {
  expect(proposedCap(micro, longestCall)).toBe(usd)
})

it('compares the wallet to the last digit', () => {
  expect([covers('300001000', '300001'), covers('300000999', '300001')]).toEqual([true, false])
})
