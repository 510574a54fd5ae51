import fc from 'fast-check'
import { median, percentile } from './percentile.ts'

const numbers = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 })

describe('percentile', () => {
  // numpy.percentile([15, 20, 35, 40, 50], [0, 5, 30, 40, 99, 100])
  it.each([
    [0, 15],
    [0.05, 16],
    [0.3, 23],
    [0.4, 29],
    [0.99, 49.6],
    [1, 50],
  ])('of share %p agrees with NumPy, whatever the order', (share, expected) => {
    expect(percentile([50, 15, 40, 20, 35], share)).toBeCloseTo(expected, 9)
  })

  it('lies between the extremes and grows with the share', () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const value = percentile(values, share)
        expect(value).toBeGreaterThanOrEqual(Math.min(...values))
        expect(value).toBeLessThanOrEqual(Math.max(...values))
        expect(percentile(values, 1)).toBeGreaterThanOrEqual(value)
      }),
    )
  })

  it('refuses an empty list', () => {
    expect(() => percentile([], 0.5)).toThrow(RangeError)
  })
})

describe('median', () => {
  it('is the mean of the two middle values of an even number of them', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
  })
})
