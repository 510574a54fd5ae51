import { compareShares } from './compare-arms.ts'

/** The confidence sequences of statistics.md §7. */
it.each([
  [168, 200, 180, 200, -0.162532, 0.042532],
  [410, 500, 450, 500, -0.148866, -0.011134],
  [90, 100, 810, 900, -0.102944, 0.102944],
  [70, 100, 810, 900, -0.3578, -0.0422],
])('of %d/%d beside %d/%d has the sequence %f to %f', (having1, of1, having2, of2, low, high) => {
  const found = compareShares({ having: having1, of: of1 }, { having: having2, of: of2 }, 0.05)
  expect(found?.interval.low).toBeCloseTo(low, 5)
  expect(found?.interval.high).toBeCloseTo(high, 5)
})

it('says nothing of fewer than ten', () => {
  expect(compareShares({ having: 0, of: 9 }, { having: 900, of: 1_000 }, 0.05)).toBeNull()
})

it('is exact below fifty: a collapse is seen, a bad start is not taken for one', () => {
  const target = { having: 900, of: 1_000 }
  expect(compareShares({ having: 4, of: 20 }, target, 0.05)?.interval.high).toBeLessThan(-0.05)
  expect(compareShares({ having: 15, of: 20 }, target, 0.05)?.interval.high).toBeGreaterThan(0)
})
