import { bestArmStopping } from './best-arm-stopping.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

const ARM = { mean: 0.9, variance: 0.09, n: 100 }

function moments({ mean, var: variance, n }: { mean: number; var: number; n: number }) {
  return { mean, variance, n }
}

describe('bestArmStopping', () => {
  it.each(statVectors.glr_stopping)('is exact to 1e-9 for $leader.n values an arm', (row) => {
    const decision = bestArmStopping({ leader: moments(row.leader), challenger: moments(row.challenger) })!
    expect(decision.likelihoodRatio).toBeCloseTo(row.glr, 9)
    expect(decision.threshold).toBeCloseTo(row.threshold, 9)
    expect(decision.stop).toBe(row.glr > row.threshold)
  })

  it('never stops for an arm that does not lead', () => {
    expect(bestArmStopping({ leader: { ...ARM, mean: 0.1 }, challenger: ARM })?.stop).toBe(false)
    expect(bestArmStopping({ leader: ARM, challenger: ARM })).toMatchObject({ likelihoodRatio: 0, stop: false })
  })

  it('is null without values or variation and refuses impossible arguments', () => {
    expect(bestArmStopping({ leader: ARM, challenger: { ...ARM, n: 0 } })).toBeNull()
    const certain = { ...ARM, variance: 0 }
    expect(bestArmStopping({ leader: certain, challenger: certain })).toBeNull()
    expect(() => bestArmStopping({ leader: { ...ARM, variance: -1 }, challenger: ARM })).toThrow('leader.variance')
    expect(() => bestArmStopping({ leader: ARM, challenger: ARM }, 0)).toThrow('delta')
  })
})
