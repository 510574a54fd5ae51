import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { mixtureSprt } from './mixture-sprt.ts'

describe('mixtureSprt', () => {
  it.each(statVectors.msprt_bernoulli)('is exact to 1e-9 for $p1 against $p2 and $n_per_arm an arm', (row) => {
    const arms = { rate1: row.p1, rate2: row.p2, trialsPerArm: row.n_per_arm }
    const { variance, likelihoodRatio, p, halfWidth } = mixtureSprt(arms, { tauSquared: row.tau2 })
    expect(variance).toBeCloseTo(row.V, 9)
    expect(likelihoodRatio).toBeCloseTo(row.Lambda, 9)
    expect(p).toBeCloseTo(row.p, 9)
    expect(halfWidth).toBeCloseTo(row.half_width, 9)
  })

  it('agrees with numerical integration over the mixture', () => {
    for (const { tauSquared, ratio, ...arms } of referenceNumbers.mixtureSprt) {
      expect(mixtureSprt(arms, { tauSquared }).likelihoodRatio).toBeCloseTo(ratio, 9)
    }
  })

  it('reaches 1/α exactly where the difference is as large as the half width', () => {
    const { halfWidth } = mixtureSprt({ rate1: 0.5, rate2: 0.5, trialsPerArm: 300 }, { tauSquared: 0.01, alpha: 0.05 })
    const rate2 = 0.5 + halfWidth / 2
    const variance = 2 * rate2 * (1 - rate2)
    const again = mixtureSprt({ rate1: 1 - rate2, rate2, trialsPerArm: (300 * variance) / 0.5 }, { tauSquared: 0.01 })
    expect(again.variance).toBeCloseTo(variance, 12)
    expect(again.likelihoodRatio).toBeCloseTo(20, 0)
  })

  it('holds for arms without variation and refuses impossible arguments', () => {
    const certain = mixtureSprt({ rate1: 1, rate2: 1, trialsPerArm: 100 }, { tauSquared: 0.01 })
    expect(certain.p).toBe(1)
    expect(certain.halfWidth).toBeGreaterThan(0)
    const arms = { rate1: 0.5, rate2: 0.5, trialsPerArm: 10 }
    expect(() => mixtureSprt(arms, { tauSquared: 0 })).toThrow('tauSquared')
    expect(() => mixtureSprt({ ...arms, rate1: 2 }, { tauSquared: 1 })).toThrow('rate1')
    expect(() => mixtureSprt({ ...arms, trialsPerArm: 0 }, { tauSquared: 1 })).toThrow('trialsPerArm')
  })
})
