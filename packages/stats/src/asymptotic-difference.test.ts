import { asymptoticDifference, differenceVariance } from './asymptotic-difference.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

describe('asymptoticDifference', () => {
  it.each(statVectors.asymptotic_cs_diff)('is exact to 1e-9 for $k1/$n1 against $k2/$n2', (row) => {
    const groups = { successes1: row.k1, trials1: row.n1, successes2: row.k2, trials2: row.n2 }
    const { difference, interval } = asymptoticDifference(groups, { alpha: row.alpha })!
    const rates = { rate1: row.k1 / row.n1, rate2: row.k2 / row.n2, share1: row.n1 / (row.n1 + row.n2) }
    expect(differenceVariance(rates)).toBeCloseTo(row.var, 9)
    expect(interval.high - difference).toBeCloseTo(row.margin, 9)
    expectInterval(interval, row.cs)
  })

  it.each<[number, number, number, number, [number, number]]>([
    [410, 500, 450, 500, [-0.148866, -0.011134]],
    [70, 100, 810, 900, [-0.3578, -0.0422]],
  ])('is as tabled for %i/%i against %i/%i', (successes1, trials1, successes2, trials2, bounds) => {
    expectInterval(asymptoticDifference({ successes1, trials1, successes2, trials2 })?.interval, bounds, 6)
  })

  it('is mirrored when the arms are swapped, and has a width above 0 when nothing varies', () => {
    const one = asymptoticDifference({ successes1: 80, trials1: 100, successes2: 150, trials2: 200 })!
    const other = asymptoticDifference({ successes1: 150, trials1: 200, successes2: 80, trials2: 100 })!
    expect(other.interval.low).toBeCloseTo(-one.interval.high, 12)
    const certain = asymptoticDifference({ successes1: 50, trials1: 50, successes2: 50, trials2: 50 })!
    expect(certain.interval.high).toBeGreaterThan(0)
  })

  it('is null for an empty arm and refuses impossible counts', () => {
    expect(asymptoticDifference({ successes1: 0, trials1: 0, successes2: 1, trials2: 2 })).toBeNull()
    const wrong = { successes1: 1, trials1: 1, successes2: 3, trials2: 2 }
    expect(() => asymptoticDifference(wrong)).toThrow('successes2')
  })
})
