import fc from 'fast-check'
import { betaBinomialSequence } from './beta-binomial-sequence.ts'
import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { logBeta } from './special/log-beta.ts'

/** The exact probability that the interval ever excludes the true rate within the given number of trials. */
function chanceOfMissing(rate: number, trials: number, alpha: number): number {
  let held = [1]
  let missed = 0
  for (let n = 1; n <= trials; n += 1) {
    const next = Array.from({ length: n + 1 }, (_, k) => (held[k - 1] ?? 0) * rate + (held[k] ?? 0) * (1 - rate))
    held = next.map((chance, k) => {
      if (chance < 1e-12) return 0
      const { low, high } = betaBinomialSequence(k, n, alpha)
      if (low <= rate && rate <= high) return chance
      missed += chance
      return 0
    })
  }
  return missed
}

describe('betaBinomialSequence', () => {
  it.each(statVectors.betabinomial_cs)('is exact to 1e-9 for $k of $n', ({ k, n, alpha, cs }) => {
    expectInterval(betaBinomialSequence(k, n, alpha), cs)
  })

  it('has bounds at which the likelihood is beaten exactly 1/α times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 299 }), fc.constantFrom(0.01, 0.05, 0.2), (k, alpha) => {
        const { low, high } = betaBinomialSequence(k, 300, alpha)
        for (const bound of [low, high]) {
          const logLikelihood = k * Math.log(bound) + (300 - k) * Math.log1p(-bound)
          expect(logBeta(k + 1, 301 - k) - logLikelihood).toBeCloseTo(-Math.log(alpha), 8)
        }
      }),
    )
  })

  it('is mirrored for the failures and is wider than an interval for a single analysis', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(200), (n, some) => {
        const k = Math.min(n, some)
        const { low, high } = betaBinomialSequence(k, n)
        const fixed = clopperPearsonInterval(k, n)!
        expect(betaBinomialSequence(n - k, n).low).toBeCloseTo(1 - high, 12)
        expect(low).toBeLessThanOrEqual(fixed.low)
        expect(high).toBeGreaterThanOrEqual(fixed.high)
      }),
    )
  })

  it('excludes the true rate with a probability below α over all interim looks', () => {
    for (const rate of [0.5, 0.9]) expect(chanceOfMissing(rate, 100, 0.05)).toBeLessThan(0.05)
  })

  it('allows every rate before the first trial and refuses impossible arguments', () => {
    expect(betaBinomialSequence(0, 0)).toEqual({ low: 0, high: 1 })
    expect(() => betaBinomialSequence(2, 1)).toThrow('successes')
    expect(() => betaBinomialSequence(1, 1, 0)).toThrow('alpha')
  })
})
