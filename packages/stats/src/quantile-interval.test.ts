import fc from 'fast-check'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { type QuantileOptions, quantileInterval } from './quantile-interval.ts'
import { binomialTail } from './special/binomial-tail.ts'

/** The ranks of the bounds, as the interval of the values 1 to `size`. */
function ranksOf(size: number, options: QuantileOptions) {
  return quantileInterval(
    Array.from({ length: size }, (_, index) => index + 1),
    options,
  )
}

describe('the ranks of the bounds', () => {
  it.each([
    [200, 0.95, 184, 197],
    [500, 0.95, 465, 485],
    [100, 0.5, 40, 61],
  ])('are as tabled for %i values and quantile %d', (size, quantile, low, high) => {
    expect(ranksOf(size, { quantile })).toEqual({ low, high })
  })

  it('exist for p95 from 72 values on, and for the median from 6 on', () => {
    expect(ranksOf(71, { quantile: 0.95 })).toBeNull()
    expect(ranksOf(72, { quantile: 0.95 })).toEqual({ low: 64, high: 72 })
    expect(ranksOf(5, { quantile: 0.5 })).toBeNull()
    expect(ranksOf(6, { quantile: 0.5 })).toEqual({ low: 1, high: 6 })
    expect(ranksOf(0, { quantile: 0.5 })).toBeNull()
  })

  it('contain the quantile with at least the confidence, and would not without their outermost ranks', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 3000 }), fc.constantFrom(0.5, 0.9, 0.95), (trials, quantile) => {
        const { low, high } = ranksOf(trials, { quantile })!
        const atLeast = (rank: number) => binomialTail(rank, { trials, rate: quantile })
        expect(atLeast(low) - atLeast(high)).toBeGreaterThanOrEqual(0.95 - 1e-12)
        expect(1 - atLeast(low + 1)).toBeGreaterThan(0.025)
        expect(atLeast(high - 1)).toBeGreaterThan(0.025)
      }),
    )
  })

  it('refuses impossible arguments', () => {
    expect(() => ranksOf(10, { quantile: 1 })).toThrow('quantile')
    expect(() => ranksOf(10, { quantile: 0.5, confidence: 0 })).toThrow('confidence')
  })
})

describe('quantileInterval', () => {
  it('agrees with SciPy', () => {
    for (const { size, quantile, low, high } of referenceNumbers.quantileInterval) {
      const values = Array.from({ length: size }, (_, index) => size - index)
      expect(quantileInterval(values, { quantile })).toEqual({ low, high })
    }
  })

  it('does not change the values, is null for too few and refuses values that are not finite', () => {
    const values = [9, 3, 5, 1, 7, 2]
    expect(quantileInterval(values, { quantile: 0.5 })).toEqual({ low: 1, high: 9 })
    expect(values).toEqual([9, 3, 5, 1, 7, 2])
    expect(quantileInterval([1, 2, 3], { quantile: 0.5 })).toBeNull()
    expect(() => quantileInterval([1, Number.NaN], { quantile: 0.5 })).toThrow('values[1]')
  })
})
