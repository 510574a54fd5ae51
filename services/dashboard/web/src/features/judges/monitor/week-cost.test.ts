import { weekSentence } from './week-cost.ts'

const week = { items: 8_400, noun: 'exchanges', percent: 10, costsUsd: [0.001, 0.003] } as const

it('says what a share of the traffic costs each week', () => {
  expect(weekSentence(week)).toMatch(/^About \$1\.68 each week at this traffic: 840 of the 8,400 exchanges/)
  expect(weekSentence({ ...week, percent: 0 })).toMatch(/^About \$0\.00 .* 0 of the 8,400/)
})

it('does not invent a cost before the first verdict', () => {
  expect(weekSentence({ ...week, costsUsd: [] })).not.toContain('$')
})
