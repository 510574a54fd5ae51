import { asymptoticConfidenceSequence } from './asymptotic-confidence-sequence.ts'
import { differenceVariance } from './difference-variance.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

describe('differenceVariance', () => {
  it.each(statVectors.asymptotic_cs_diff)('gives the sequence of $k1/$n1 against $k2/$n2 to 1e-9', (row) => {
    const n = row.n1 + row.n2
    const [rate1, rate2] = [row.k1 / row.n1, row.k2 / row.n2]
    const variance = differenceVariance({ rate1, rate2, share1: row.n1 / n })
    expect(variance).toBeCloseTo(row.var, 9)
    const interval = asymptoticConfidenceSequence({ mean: rate1 - rate2, variance, n }, { alpha: row.alpha })
    expectInterval(interval, row.cs)
  })

  it('is the same when the arms are swapped, and above 0 when nothing varies', () => {
    const one = differenceVariance({ rate1: 0.8, rate2: 0.75, share1: 0.25 })
    expect(differenceVariance({ rate1: 0.75, rate2: 0.8, share1: 0.75 })).toBeCloseTo(one, 12)
    expect(differenceVariance({ rate1: 1, rate2: 1, share1: 0.5 })).toBeGreaterThan(0)
  })
})
