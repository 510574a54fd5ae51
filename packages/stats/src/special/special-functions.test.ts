import fc from 'fast-check'
import { referenceNumbers } from '../fixtures/reference-numbers.ts'
import { binomialTail } from './binomial-tail.ts'
import { bisect } from './bisect.ts'
import { chiSquareTail } from './chi-square-tail.ts'
import { firstWholeNumber } from './first-whole-number.ts'
import { incompleteBeta, logIncompleteBeta } from './incomplete-beta.ts'
import { incompleteBetaInverse } from './incomplete-beta-inverse.ts'
import { upperIncompleteGamma } from './incomplete-gamma.ts'
import { logBeta } from './log-beta.ts'
import { normalCdf } from './normal-cdf.ts'
import { normalQuantile } from './normal-quantile.ts'

const shape = fc.double({ min: 0.05, max: 1e5, noNaN: true })
const unit = fc.double({ min: 0, max: 1, noNaN: true })

/** The error relative to the expected number. */
function relativeError(actual: number, expected: number): number {
  return actual === expected ? 0 : Math.abs(actual / expected - 1)
}

describe('the special functions', () => {
  it('agree with SciPy and mpmath to 11 digits: the beta family', () => {
    for (const row of referenceNumbers.beta) {
      const ab = { a: row.a, b: row.b }
      expect(relativeError(incompleteBeta(row.x, ab), row.incompleteBeta)).toBeLessThan(1e-11)
      expect(relativeError(incompleteBetaInverse(row.p, ab), row.inverse)).toBeLessThan(1e-11)
      expect(Math.abs(logBeta(row.a, row.b) - row.logBeta)).toBeLessThan(1e-13 * (1 + Math.abs(row.logBeta)))
    }
  })

  it('agree with SciPy and mpmath to 11 digits: the gamma family', () => {
    for (const { a, x, upper } of referenceNumbers.gamma) {
      expect(Math.abs(upperIncompleteGamma(a, x) - upper)).toBeLessThan(1e-13)
      if (upper > 1e-290) expect(relativeError(upperIncompleteGamma(a, x), upper)).toBeLessThan(1e-9)
    }
  })

  it('agree with SciPy to 11 digits: the normal distribution, far into its tails', () => {
    for (const { z, cdf } of referenceNumbers.normal) expect(relativeError(normalCdf(z), cdf)).toBeLessThan(1e-11)
    for (const { p, z } of referenceNumbers.normalQuantile) expect(normalQuantile(p)).toBeCloseTo(z, 11)
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 14)
  })

  it('give the published quantiles of chi-square', () => {
    expect(chiSquareTail(3.841458820694124, 1)).toBeCloseTo(0.05, 12)
    expect(chiSquareTail(5.991464547107979, 2)).toBeCloseTo(0.05, 12)
    expect(chiSquareTail(0, 3)).toBe(1)
  })
})

describe('incompleteBeta', () => {
  it('is a distribution function: in 0..1, increasing, mirrored by swapping the shapes', () => {
    fc.assert(
      fc.property(shape, shape, unit, unit, (a, b, x, y) => {
        const [low, high] = [Math.min(x, y), Math.max(x, y)]
        const at = incompleteBeta(low, { a, b })
        expect(at).toBeGreaterThanOrEqual(0)
        expect(at).toBeLessThanOrEqual(incompleteBeta(high, { a, b }) + 1e-12)
        if (1 - (1 - low) === low) expect(at).toBeCloseTo(1 - incompleteBeta(1 - low, { a: b, b: a }), 11)
      }),
    )
  })

  it('is inverted by its inverse', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 1e4, noNaN: true }),
        fc.double({ min: 0.001, max: 0.999, noNaN: true }),
        (a, p) => {
          expect(incompleteBeta(incompleteBetaInverse(p, { a, b: a / 2 }), { a, b: a / 2 })).toBeCloseTo(p, 9)
        },
      ),
    )
  })

  it('has a finite logarithm where it underflows', () => {
    expect(incompleteBeta(0.1, { a: 1000, b: 1 })).toBe(0)
    expect(logIncompleteBeta(0.1, { a: 1000, b: 1 })).toBeCloseTo(1000 * Math.log(0.1), 9)
  })

  it('refuses arguments out of range', () => {
    expect(() => incompleteBeta(1.1, { a: 1, b: 1 })).toThrow('x must be in 0..1')
    expect(() => incompleteBeta(0.5, { a: 0, b: 1 })).toThrow('a must be')
    expect(() => incompleteBetaInverse(Number.NaN, { a: 1, b: 1 })).toThrow('p must be')
    expect(() => upperIncompleteGamma(1, -1)).toThrow('x must be')
    expect(() => normalQuantile(0)).toThrow('p must be')
    expect(() => normalCdf(Number.NaN)).toThrow('z must be')
    expect(() => logBeta(1, -1)).toThrow(RangeError)
  })
})

describe('binomialTail', () => {
  it('is the sum of the probabilities of the outcomes', () => {
    expect(binomialTail(9, { trials: 10, rate: 0.5 })).toBeCloseTo(11 / 1024, 14)
    expect(binomialTail(0, { trials: 10, rate: 0.5 })).toBe(1)
    expect(binomialTail(11, { trials: 10, rate: 0.5 })).toBe(0)
    expect(binomialTail(3, { trials: 3, rate: 1 })).toBe(1)
  })
})

describe('the searches', () => {
  it('find the boundary of a condition, from either side', () => {
    expect(bisect({ from: 0, to: 2 }, (x) => x * x >= 2)).toBeCloseTo(Math.SQRT2, 15)
    expect(bisect({ from: 2, to: 0 }, (x) => x * x <= 2)).toBeCloseTo(Math.SQRT2, 15)
  })

  it('find the first whole number that satisfies a condition', () => {
    expect(firstWholeNumber({ above: 0, to: 1000 }, (n) => n * n >= 50)).toBe(8)
    expect(firstWholeNumber({ above: 0, to: 5 }, () => false)).toBe(5)
  })
})
