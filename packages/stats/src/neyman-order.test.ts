import { neymanOrder } from './neyman-order.ts'

const stratum = (more: object = {}) => ({ rows: 100, graded: 20, available: 80, spread: 1, ...more })
const countsOf = (order: readonly number[], strata: number) =>
  Array.from({ length: strata }, (_, place) => order.filter((each) => each === place).length)

it('first gives every stratum a few grades, the larger ones first', () => {
  const strata = [
    stratum({ graded: 0, rows: 10, available: 10 }),
    stratum({ graded: 0, rows: 1_000, available: 1_000 }),
  ]
  const order = neymanOrder(strata, { limit: 20, minGraded: 10 })
  expect(order[0]).toBe(1)
  expect(countsOf(order, 2)).toEqual([10, 10])
})

it('then splits grades by the square root of the spread, as Neyman does', () => {
  const strata = [stratum({ spread: 1, available: 1_000 }), stratum({ spread: 9, available: 1_000 })]
  const order = neymanOrder(strata, { limit: 360, minGraded: 10 })
  const [one = 0, other = 0] = countsOf(order, 2)
  expect((other + 20) / (one + 20)).toBeCloseTo(3, 1)
})

it('takes no more than there is', () => {
  expect(neymanOrder([stratum({ available: 2 }), stratum({ available: 0 })], { limit: 9, minGraded: 1 })).toEqual([
    0, 0,
  ])
})
