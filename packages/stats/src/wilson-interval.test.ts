import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { Z_95 } from './interval.ts'
import { wilsonInterval } from './wilson-interval.ts'

const proportion = fc
  .tuple(fc.nat(2000), fc.nat(2000))
  .map(([one, other]) => ({ successes: Math.min(one, other), trials: Math.max(one, other, 1) }))

describe('wilsonInterval', () => {
  it.each(statVectors.wilson)('is exact to 1e-9 for $k of $n', ({ k, n, ci }) => {
    expectInterval(wilsonInterval(k, n), ci)
  })

  it('uses the agreed critical value', () => {
    expect(Z_95).toBeCloseTo(statVectors.z, 14)
  })

  it.each([
    [10, 10, 0.722467, 1],
    [34, 34, 0.898485, 1],
    [36, 36, 0.903581, 1],
    [49, 50, 0.895046, 0.996461],
    [97, 100, 0.915481, 0.989745],
    [920, 1000, 0.901534, 0.935252],
    [600, 650, 0.900016, 0.941167],
  ])('is as tabled for %i of %i', (successes, trials, low, high) => {
    expectInterval(wilsonInterval(successes, trials), [low, high], 6)
  })

  it('agrees with statsmodels', () => {
    for (const { successes, trials, wilson } of referenceNumbers.proportion) {
      expectInterval(wilsonInterval(successes, trials), wilson, 11)
    }
  })

  it('is in 0..1 around the rate, is mirrored for the failures and rises with the successes', () => {
    fc.assert(
      fc.property(proportion, ({ successes, trials }) => {
        const interval = wilsonInterval(successes, trials)!
        const mirrored = wilsonInterval(trials - successes, trials)!
        const rate = successes / trials
        expect(interval.low).toBeGreaterThanOrEqual(0)
        expect(interval.high).toBeLessThanOrEqual(1)
        expect(interval.low).toBeLessThanOrEqual(rate)
        expect(interval.high).toBeGreaterThanOrEqual(rate)
        expect(interval.low).toBeCloseTo(1 - mirrored.high, 12)
        if (successes < trials) expect(wilsonInterval(successes + 1, trials)!.low).toBeGreaterThan(interval.low)
      }),
    )
  })

  it('narrows with the number of trials at the same rate, and widens with z', () => {
    const widthOf = (successes: number, trials: number, z?: number) => {
      const { low, high } = wilsonInterval(successes, trials, z)!
      return high - low
    }
    fc.assert(
      fc.property(proportion, ({ successes, trials }) => {
        expect(widthOf(successes * 2, trials * 2)).toBeLessThan(widthOf(successes, trials))
        expect(widthOf(successes, trials, 2.6)).toBeGreaterThan(widthOf(successes, trials))
      }),
    )
  })

  it('accepts the fractions of an effective sample', () => {
    const { low, high } = wilsonInterval(95.5, 100)!
    expect(low).toBeGreaterThan(wilsonInterval(95, 100)!.low)
    expect(high).toBeLessThan(wilsonInterval(96, 100)!.high)
  })

  it('is null without trials and refuses impossible counts', () => {
    expect(wilsonInterval(0, 0)).toBeNull()
    expect(() => wilsonInterval(2, 1)).toThrow('successes must be in 0..1, got 2')
    expect(() => wilsonInterval(-1, 1)).toThrow('successes')
    expect(() => wilsonInterval(1, Number.NaN)).toThrow('trials')
    expect(() => wilsonInterval(1, 1, 0)).toThrow('z must be')
  })
})
