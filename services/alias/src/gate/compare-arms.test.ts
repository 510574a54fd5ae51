import { compareShares } from './compare-arms.ts'

/** The expected limits use the plain variance. Those of the product are a little wider, because its estimate is cautious. */
it.each([
  [168, 200, 180, 200, -0.162532, 0.042532],
  [410, 500, 450, 500, -0.148866, -0.011134],
  [90, 100, 810, 900, -0.102944, 0.102944],
  [70, 100, 810, 900, -0.3578, -0.0422],
])('%d/%d against %d/%d has about the sequence %f to %f', (having1, of1, having2, of2, low, high) => {
  const found = compareShares({ having: having1, of: of1 }, { having: having2, of: of2 }, 0.05)
  const wider = 0.008
  expect(found?.difference).toBeCloseTo(having1 / of1 - having2 / of2, 12)
  expect(found?.interval.low).toBeLessThan(low)
  expect(found?.interval.low).toBeGreaterThan(low - wider)
  expect(found?.interval.high).toBeGreaterThan(high)
  expect(found?.interval.high).toBeLessThan(high + wider)
})

it('an arm without a failure does not prove that it never fails', () => {
  const canary = { having: 950, of: 950 }
  expect(compareShares(canary, { having: 50, of: 50 }, 0.05)?.interval.low).toBeLessThan(-0.01)
  expect(compareShares(canary, { having: 50, of: 50 }, 0.05)?.interval.high).toBeGreaterThan(0.05)
})

it('there is no sequence for fewer than ten answers', () => {
  expect(compareShares({ having: 0, of: 9 }, { having: 900, of: 1_000 }, 0.05)).toBeNull()
})

it('with fewer than fifty answers, detects a collapse but reports no worse canary after a few early failures', () => {
  const target = { having: 900, of: 1_000 }
  expect(compareShares({ having: 4, of: 20 }, target, 0.05)?.interval.high).toBeLessThan(-0.05)
  expect(compareShares({ having: 15, of: 20 }, target, 0.05)?.interval.high).toBeGreaterThan(0)
})
