import fc from 'fast-check'
import { asymptoticConfidenceSequence, asymptoticMargin, sequenceRho } from './asymptotic-confidence-sequence.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

describe('asymptoticConfidenceSequence', () => {
  it.each(statVectors.asymptotic_cs_mean)('is exact to 1e-9 for mean $mean of $n', (row) => {
    const { low, high } = asymptoticConfidenceSequence(
      { mean: row.mean, variance: row.var, n: row.n },
      { alpha: row.alpha },
    )
    expect(sequenceRho(100, row.alpha)).toBeCloseTo(row.rho, 9)
    expect(row.mean - low).toBeCloseTo(row.margin, 9)
    expect(high - row.mean).toBeCloseTo(row.margin, 9)
  })

  it('narrows with the sample, widens with the variance and with the confidence', () => {
    const variance = fc.double({ min: 0.001, max: 0.25, noNaN: true })
    fc.assert(
      fc.property(variance, fc.integer({ min: 10, max: 100_000 }), (spread, n) => {
        const margin = asymptoticMargin({ variance: spread, n })
        expect(asymptoticMargin({ variance: spread, n: n + 1 })).toBeLessThan(margin)
        expect(asymptoticMargin({ variance: spread * 1.1, n })).toBeGreaterThan(margin)
        expect(asymptoticMargin({ variance: spread, n }, { alpha: 0.01 })).toBeGreaterThan(margin)
      }),
    )
  })

  it('is nearly as narrow as possible at the requested sample size', () => {
    const at = (tightestAt: number) => asymptoticMargin({ variance: 1, n: 400 }, { tightestAt })
    const best = Math.min(...[100, 200, 300, 400, 500, 800, 1600].map(at))
    expect(at(400) / best).toBeLessThan(1.001)
    expect(at(10) / best).toBeGreaterThan(1.05)
  })

  it('has a width above 0 when all values are equal', () => {
    expect(asymptoticMargin({ variance: 0, n: 100 })).toBe(asymptoticMargin({ variance: 1e-6, n: 100 }))
  })

  it('refuses impossible arguments', () => {
    expect(() => asymptoticConfidenceSequence({ mean: Number.NaN, variance: 1, n: 1 })).toThrow('mean')
    expect(() => asymptoticMargin({ variance: -1, n: 1 })).toThrow('variance')
    expect(() => asymptoticMargin({ variance: 1, n: 0 })).toThrow('n must be')
    expect(() => asymptoticMargin({ variance: 1, n: 1 }, { alpha: 0 })).toThrow('alpha')
    expect(() => sequenceRho(0)).toThrow('tightestAt')
  })
})
