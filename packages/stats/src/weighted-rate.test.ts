import fc from 'fast-check'
import { effectiveSampleSize } from './effective-sample-size.ts'
import { weightedRate } from './weighted-rate.ts'
import { wilsonInterval } from './wilson-interval.ts'

const weights = fc.array(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })

describe('effectiveSampleSize', () => {
  it('is (Σw)²/Σw²', () => {
    expect(effectiveSampleSize([1, 1, 2])).toBeCloseTo(16 / 6, 12)
    expect(effectiveSampleSize([])).toBe(0)
    expect(effectiveSampleSize([1e200, 1e200])).toBe(2)
  })

  it('is between one and the number of rows, and does not depend on the unit', () => {
    fc.assert(
      fc.property(weights, (all) => {
        const size = effectiveSampleSize(all)
        expect(size).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(size).toBeLessThanOrEqual(all.length)
        expect(effectiveSampleSize(all.map((weight) => weight * 7))).toBeCloseTo(size, 9)
      }),
    )
  })

  it('refuses a weight that is not positive', () => {
    expect(() => effectiveSampleSize([1, 0])).toThrow('weights[1] must be')
    expect(() => effectiveSampleSize([Number.POSITIVE_INFINITY])).toThrow('weights[0]')
  })
})

describe('weightedRate', () => {
  it('is the plain rate and the plain interval for equal weights', () => {
    const outcomes = Array.from({ length: 50 }, (_, index) => ({ success: index < 46, weight: 3 }))
    const rate = weightedRate(outcomes)!
    expect(rate).toMatchObject({ rate: 0.92, effectiveTrials: 50, effectiveSuccesses: 46 })
    expect(rate.interval).toEqual(wilsonInterval(46, 50))
  })

  it('recovers the TPR of a sample in which failures were over-drawn', () => {
    const outcomes = [
      ...Array.from({ length: 40 }, () => ({ success: true, weight: 2 })),
      ...Array.from({ length: 5 }, () => ({ success: false, weight: 18 })),
    ]
    const { rate, effectiveTrials, interval } = weightedRate(outcomes)!
    expect(rate).toBeCloseTo(80 / 170, 12)
    expect(effectiveTrials).toBeCloseTo(170 ** 2 / (40 * 4 + 5 * 324), 9)
    expect(interval).toEqual(wilsonInterval(rate * effectiveTrials, effectiveTrials))
  })

  it('is null without rows, and has a rate of 1 when all outcomes are equal', () => {
    expect(weightedRate([])).toBeNull()
    const all = weightedRate([0.1, 0.2, 0.3].map((weight) => ({ success: true, weight })))
    expect(all).toMatchObject({ rate: 1, interval: { high: 1 } })
    expect(() => weightedRate([{ success: true, weight: -1 }])).toThrow('weights[0]')
  })
})
