import { acceptedPrecision, acceptedPrecisionInterval } from './accepted-precision.ts'

const judge = { tpr: 0.9, tnr: 0.9 }
const graded = { ...judge, failing: 100, passing: 100 }

describe('a judge that is right in 90 % of both classes', () => {
  it.each([
    [0.05, 0.14, 0.321, 0.81],
    [0.1, 0.18, 0.5, 0.9],
    [0.2, 0.26, 0.692, 0.953],
    [0.3, 0.34, 0.794, 0.972],
    [0.5, 0.5, 0.9, 0.988],
    [0.8, 0.74, 0.973, 0.997],
  ])('accepts %d true answers as %d, with precision %d; two such judges %d', (truth, accepted, alone, both) => {
    const one = acceptedPrecision(accepted, [judge])
    expect(one?.trueRate).toBeCloseTo(truth, 10)
    expect(one?.precision).toBeCloseTo(alone, 3)
    const byBoth = truth * 0.81 + (1 - truth) * 0.01
    expect(acceptedPrecision(byBoth, [judge, judge])?.precision).toBeCloseTo(both, 3)
  })
})

it('is 0 when no more is accepted than by mistake, and null when that says nothing', () => {
  expect(acceptedPrecision(0.05, [judge])).toEqual({ trueRate: 0, precision: 0 })
  expect(acceptedPrecision(0, [judge])).toBeNull()
  expect(acceptedPrecision(0.5, [{ tpr: 0.5, tnr: 0.5 }])).toBeNull()
  expect(() => acceptedPrecision(1.1, [judge])).toThrow(RangeError)
})

describe('the interval', () => {
  it('is the same for the same seed, and holds the estimate', () => {
    const accepted = { rate: 0.5, trials: 400 }
    const interval = acceptedPrecisionInterval(accepted, [graded], 'round')
    expect(acceptedPrecisionInterval(accepted, [graded], 'round')).toEqual(interval)
    expect(interval.low).toBeLessThan(0.9)
    expect(interval.high).toBeGreaterThan(0.9)
    expect(interval.low).toBeGreaterThan(0.75)
  })

  it('is wider with fewer grades and fewer answers', () => {
    const width = (trials: number, grades: number) => {
      const few = { ...judge, failing: grades, passing: grades }
      const { low, high } = acceptedPrecisionInterval({ rate: 0.34, trials }, [few], 's')
      return high - low
    }
    expect(width(1_000, 50)).toBeGreaterThan(width(1_000, 500))
    expect(width(50, 500)).toBeGreaterThan(width(5_000, 500))
  })

  it('covers the truth as often as it says', () => {
    // Deterministic worlds: the estimate moves with the sampling error of 100 + 100 grades.
    const worlds = [-1.96, -1, 0, 1, 1.96].map((z) => {
      const error = z * Math.sqrt((0.9 * 0.1) / 100)
      const seen = { ...graded, tpr: Math.min(1, 0.9 + error) }
      return acceptedPrecisionInterval({ rate: 0.34, trials: 2_000 }, [seen], `w${z}`)
    })
    for (const { low, high } of worlds) {
      expect(low).toBeLessThanOrEqual(0.8)
      expect(high).toBeGreaterThanOrEqual(0.78)
    }
  })

  it('refuses a truth of 10 % by a wide margin, and admits one of 80 %', () => {
    expect(acceptedPrecisionInterval({ rate: 0.18, trials: 500 }, [graded], 's').low).toBeLessThan(0.4)
    expect(acceptedPrecisionInterval({ rate: 0.74, trials: 500 }, [graded], 's').low).toBeGreaterThan(0.9)
  })
})
