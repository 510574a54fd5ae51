import fc from 'fast-check'
import { clusteredMean } from './clustered-mean.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'

const RUNS = [
  [1, 1, 1],
  [1, 0],
  [0, 0, 0, 0],
  [1, 1],
  [1, 1, 1, 0],
]
const value = fc.double({ min: -100, max: 100, noNaN: true })

describe('clusteredMean', () => {
  it('is as tabled', () => {
    expect(clusteredMean(RUNS)).toEqual({
      mean: expect.closeTo(0.6, 12),
      standardError: expect.closeTo(0.191369, 6),
      independentStandardError: expect.closeTo(0.126491, 6),
    })
  })

  it('agrees with the cluster-robust errors of statsmodels', () => {
    for (const { clusters, mean, standardError } of referenceNumbers.cluster) {
      expect(clusteredMean(clusters)?.mean).toBeCloseTo(mean, 12)
      expect(clusteredMean(clusters)?.standardError).toBeCloseTo(standardError, 12)
    }
  })

  it('is the usual error when every value is a separate cluster', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (values) => {
        const { standardError, independentStandardError } = clusteredMean(values.map((one) => [one]))!
        expect(standardError).toBeCloseTo(independentStandardError, 9)
      }),
    )
  })

  it('grows by the square root of the cluster size when clusters have equal values', () => {
    const repeated = [1, 0, 0, 1, 1].map((one) => [one, one, one, one])
    const { standardError, independentStandardError } = clusteredMean(repeated)!
    expect(standardError / independentStandardError).toBeCloseTo(2, 12)
  })

  it('is null without values and refuses values that are not finite', () => {
    expect(clusteredMean([])).toBeNull()
    expect(clusteredMean([[], []])).toBeNull()
    expect(() => clusteredMean([[1], [Number.NaN]])).toThrow('values[1]')
  })
})
