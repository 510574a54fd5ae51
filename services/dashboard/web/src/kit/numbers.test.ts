import { count, countOf, percent, rate, rateIn } from './numbers.ts'

it('writes numbers as people read them', () => {
  expect([count(41_234), countOf(1, 'grade'), countOf(12, 'grade'), countOf(2, 'entry', 'entries')]).toEqual([
    ...['41,234', '1 grade', '12 grades', '2 entries'],
  ])
})

it('gives rates the digits that decide', () => {
  expect([0, 0.5, 0.961, 0.9951, 0.0042, 1].map(rate)).toEqual(['0', '0.50', '0.96', '0.995', '0.004', '1'])
})

it('writes a rate with its interval, as far as it is known', () => {
  expect([rateIn(0.961, [0.882, 0.9951]), rateIn(0.5, null), rateIn(null, null)]).toEqual([
    ...['0.96 [0.88, 0.995]', '0.50', '–'],
  ])
})

it('writes shares in per cent', () => {
  expect([0, 0.012, 0.5, 1].map(percent)).toEqual(['0 %', '1.2 %', '50 %', '100 %'])
})
