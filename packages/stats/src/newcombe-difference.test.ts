import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { newcombeDifference } from './newcombe-difference.ts'

const group = fc.tuple(fc.integer({ min: 1, max: 500 }), fc.nat(500)).map(([n, k]) => [Math.min(k, n), n] as const)

function compare([successes1, trials1]: readonly [number, number], [successes2, trials2]: readonly [number, number]) {
  return newcombeDifference({ successes1, trials1, successes2, trials2 })
}

describe('newcombeDifference', () => {
  it.each(statVectors.newcombe_diff)('is exact to 1e-9 for $k1/$n1 against $k2/$n2', ({ k1, n1, k2, n2, diff, ci }) => {
    const result = compare([k1, n1], [k2, n2])
    expect(result?.difference).toBeCloseTo(diff, 9)
    expectInterval(result?.interval, ci)
  })

  it('reproduces the interval that Newcombe published', () => {
    expectInterval(compare([56, 70], [48, 80])?.interval, [0.0524, 0.3339], 4)
  })

  it.each<[[number, number], [number, number], [number, number]]>([
    [
      [168, 200],
      [180, 200],
      [-0.12666, 0.006376],
    ],
    [
      [90, 100],
      [810, 900],
      [-0.076497, 0.049593],
    ],
    [
      [430, 500],
      [92, 100],
      [-0.111125, 0.015255],
    ],
  ])('is as tabled for %j against %j', (one, other, bounds) => {
    expectInterval(compare(one, other)?.interval, bounds, 6)
  })

  it('agrees with statsmodels', () => {
    for (const { k1, n1, k2, n2, newcombe } of referenceNumbers.difference) {
      expectInterval(compare([k1, n1], [k2, n2])?.interval, newcombe, 11)
    }
  })

  it('is in -1..1 around the difference and is mirrored when the groups are swapped', () => {
    fc.assert(
      fc.property(group, group, (one, other) => {
        const { difference, interval } = compare(one, other)!
        const swapped = compare(other, one)!
        expect(interval.low).toBeGreaterThanOrEqual(-1 - 1e-12)
        expect(interval.high).toBeLessThanOrEqual(1 + 1e-12)
        expect(interval.low).toBeLessThanOrEqual(difference)
        expect(interval.high).toBeGreaterThanOrEqual(difference)
        expect(swapped.interval.low).toBeCloseTo(-interval.high, 12)
      }),
    )
  })

  it('is null for an empty group and refuses impossible counts', () => {
    expect(compare([0, 0], [1, 2])).toBeNull()
    expect(compare([1, 2], [0, 0])).toBeNull()
    expect(() => compare([3, 2], [1, 2])).toThrow('successes1')
    expect(() => compare([1, 2], [1, 2.5])).toThrow('trials2')
  })
})
