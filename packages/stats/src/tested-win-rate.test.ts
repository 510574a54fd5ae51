import fc from 'fast-check'
import { clusteredWinRate } from './clustered-win-rate.ts'
import { exactSignTest } from './exact-sign-test.ts'
import { normalQuantile } from './special/normal-quantile.ts'
import { clusteredSignTest, testedWinRate, winRatePValue } from './tested-win-rate.ts'
import { type PairwiseCounts, winRate } from './win-rate.ts'

const alone = ({ wins, ties, losses }: PairwiseCounts): readonly PairwiseCounts[] => [
  ...Array<PairwiseCounts>(wins).fill({ wins: 1, ties: 0, losses: 0 }),
  ...Array<PairwiseCounts>(ties).fill({ wins: 0, ties: 1, losses: 0 }),
  ...Array<PairwiseCounts>(losses).fill({ wins: 0, ties: 0, losses: 1 }),
]

describe('testedWinRate', () => {
  it.each([
    { wins: 45, ties: 30, losses: 25 },
    { wins: 12, ties: 5, losses: 3 },
    { wins: 30, ties: 50, losses: 20 },
    { wins: 10, ties: 0, losses: 0 },
    { wins: 0, ties: 20, losses: 0 },
  ])('is winRate where the sign test agrees: %j', (counts) => {
    expect(testedWinRate(alone(counts))).toEqual(winRate(counts))
  })

  it('is clusteredWinRate for clusters', () => {
    const clusters = Array.from({ length: 12 }, (_, index) => ({ wins: index < 9 ? 2 : 0, ties: 1, losses: 1 }))
    expect(testedWinRate(clusters)?.winRate).toBe(clusteredWinRate(clusters)?.winRate)
  })

  it('does not take five wins of five for a proof', () => {
    const five = alone({ wins: 5, ties: 0, losses: 0 })
    expect(winRate({ wins: 5, ties: 0, losses: 0 })?.interval.low).toBeCloseTo(0.565518, 5)
    expect(testedWinRate(five)).toMatchObject({ winRate: 1, inconclusive: true })
    // Clopper–Pearson: 0.025^(1/5).
    expect(testedWinRate(five)?.interval.low).toBeCloseTo(0.025 ** 0.2, 9)
    expect(winRatePValue(five)).toBeCloseTo(0.0625, 12)
    // With 5 of 25 decided, the exact bound of those is weighed with half a win for each tie.
    const tied = testedWinRate(alone({ wins: 5, ties: 20, losses: 0 }))
    expect(tied?.interval.low).toBeCloseTo(0.4 + 0.2 * 0.025 ** 0.2, 9)
  })

  it('agrees with its p-value at any level, and is never narrower than without the test', () => {
    const small = fc.nat(3)
    const cluster = fc.record({ wins: small, ties: small, losses: small })
    const single = fc.constantFrom(...alone({ wins: 1, ties: 1, losses: 1 }))
    const clusters = fc.oneof(fc.array(cluster, { maxLength: 25 }), fc.array(single, { maxLength: 60 }))
    fc.assert(
      fc.property(clusters, fc.constantFrom(0.001, 0.0125, 0.05, 0.3), (drawn, level) => {
        const found = testedWinRate(drawn, normalQuantile(1 - level / 2))
        const p = winRatePValue(drawn)
        expect(found === null).toBe(p === null)
        if (found === null || p === null || Math.abs(p - level) < 1e-6) return
        expect(found.inconclusive).toBe(p > level)
        expect(found.interval.low <= 0.5 && found.interval.high >= 0.5).toBe(p > level)
        expect(p).toBeGreaterThanOrEqual(clusteredSignTest(drawn))
      }),
      { numRuns: 200 },
    )
  })

  it('is mirrored when wins and losses change places', () => {
    const one = testedWinRate(alone({ wins: 7, ties: 3, losses: 1 }))
    const other = testedWinRate(alone({ wins: 1, ties: 3, losses: 7 }))
    expect(one?.interval.low).toBeCloseTo(1 - (other?.interval.high ?? 0), 12)
  })

  it('refuses impossible arguments', () => {
    expect(testedWinRate([])).toBeNull()
    expect(winRatePValue([])).toBeNull()
    expect(() => testedWinRate([{ wins: 0.5, ties: 0, losses: 0 }])).toThrow('wins')
    expect(() => testedWinRate([], 0)).toThrow('z')
    expect(() => clusteredSignTest([{ wins: -1, ties: 0, losses: 0 }])).toThrow('wins')
  })
})

it('counts each cluster once in the sign test', () => {
  const clusters = [
    { wins: 3, ties: 0, losses: 0 },
    { wins: 2, ties: 0, losses: 1 },
    { wins: 1, ties: 0, losses: 1 },
    { wins: 0, ties: 0, losses: 4 },
  ]
  expect(clusteredSignTest(clusters)).toBe(exactSignTest(2, 1))
})
