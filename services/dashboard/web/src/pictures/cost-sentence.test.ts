import { costSentence, costShares } from './cost-sentence.ts'

const facts = { charged: '120000', held: '340000', estimate: '400000', maximum: '1000000' }

it('says what is charged, held, estimated and allowed', () => {
  expect(costSentence(facts)).toBe('$0.12 charged of an estimated $0.40; $0.34 more is held; at most $1.00.')
  expect(costSentence({ ...facts, held: '0', maximum: null })).toBe(
    '$0.12 charged of an estimated $0.40; nothing is held.',
  )
})

it('puts all amounts on one bar', () => {
  expect(costShares(facts)).toEqual({ charged: 0.12, held: 0.46, estimate: 0.4, maximum: 1 })
})

it('leaves out a maximum that is far away, and takes nothing for nothing', () => {
  expect(costShares({ ...facts, maximum: '90000000' })).toMatchObject({ held: 1, maximum: null })
  expect(costShares({ charged: '0', held: '0', estimate: '0', maximum: null })).toEqual({
    charged: 0,
    held: 0,
    estimate: 0,
    maximum: null,
  })
})
