import fc from 'fast-check'
import { samplesToExcludeHalf } from './samples-to-exclude-half.ts'
import { wilsonInterval } from './wilson-interval.ts'

describe('samplesToExcludeHalf', () => {
  it.each([
    [0.52, 2401],
    [0.55, 385],
    [0.6, 97],
    [0.65, 43],
    [0.7, 25],
    [0.75, 16],
    [0.8, 11],
  ])('is as tabled for a win rate of %d', (rate, samples) => {
    expect(samplesToExcludeHalf(rate)).toBe(samples)
    expect(samplesToExcludeHalf(1 - rate)).toBe(samples)
  })

  it('is the number at which the Wilson bound equals 0.5', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.51, max: 0.97, noNaN: true }), (rate) => {
        const samples = samplesToExcludeHalf(rate)!
        expect(wilsonInterval(rate * samples, samples)!.low).toBeGreaterThanOrEqual(0.5 - 1e-12)
        expect(wilsonInterval(rate * (samples - 1), samples - 1)!.low).toBeLessThan(0.5)
      }),
    )
  })

  it('is null at 0.5 and refuses a value that is not a rate', () => {
    expect(samplesToExcludeHalf(0.5)).toBeNull()
    expect(() => samplesToExcludeHalf(1.5)).toThrow('winRate')
  })
})
