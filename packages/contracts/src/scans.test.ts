import { ImproveCriterion, SuggestCriteria } from './judge-assist.ts'
import { StartScan } from './scans.ts'

it.each([
  [0, false],
  [0.0000004, false],
  [0.000001, true],
  [1_000_000, true],
  [1_000_001, false],
])('accepts a maximum cost that counts as at least a micro-dollar: %d USD', (max_cost_usd, isAccepted) => {
  expect(StartScan.safeParse({ max_cost_usd }).success).toBe(isAccepted)
  expect(ImproveCriterion.safeParse({ max_cost_usd }).success).toBe(isAccepted)
})

it.each(['model', 'tag', 'segment', 'finish_reason', 'trace_id', 'alias'])('refuses NUL in the filter %s', (name) => {
  for (const Body of [StartScan, SuggestCriteria]) {
    expect(Body.safeParse({ filters: { [name]: 'a' } }).success).toBe(true)
    expect(Body.safeParse({ filters: { [name]: 'a\0' } }).success).toBe(false)
  }
})
