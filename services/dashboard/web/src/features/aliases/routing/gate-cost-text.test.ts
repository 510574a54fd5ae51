import { gateCostText } from './gate-cost-text.ts'

const cost = { usd_per_verdict: 0.002, usd_per_verdict_from: 'verdicts', judging_usd: 10.6, mirroring_usd: 0 } as const

it('names the cost, what it is based on, and the shadow only when there is one', () => {
  expect(gateCostText(cost)).toMatch(/\$10\.60, by its recent verdicts\.$/)
  expect(gateCostText({ ...cost, usd_per_verdict_from: 'list_price', mirroring_usd: 2 })).toMatch(/list price.*\$2\.00/)
  expect(gateCostText({ ...cost, mirroring_usd: null })).toMatch(/shadow is not known/)
})

it('names no amount that is not known', () => {
  const unknown = { ...cost, usd_per_verdict: null, usd_per_verdict_from: null, judging_usd: null }
  expect(gateCostText(unknown)).not.toContain('$')
})
