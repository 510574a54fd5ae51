import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { wilsonInterval } from './wilson-interval.ts'
import { winRate } from './win-rate.ts'

const counts = fc.record({ wins: fc.nat(300), ties: fc.nat(300), losses: fc.nat(300) })

/** Exact probability that the interval contains the true win rate, for given rates of wins, ties and losses. */
function coverage([win, tie, lose]: readonly [number, number, number], n: number): number {
  const logFactorials = [0]
  for (let count = 1; count <= n; count += 1) logFactorials.push(logFactorials[count - 1]! + Math.log(count))
  let covered = 0
  for (let wins = 0; wins <= n; wins += 1) {
    for (let ties = 0; ties + wins <= n; ties += 1) {
      const losses = n - wins - ties
      const ways = logFactorials[n]! - logFactorials[wins]! - logFactorials[ties]! - logFactorials[losses]!
      const { low, high } = winRate({ wins, ties, losses })!.interval
      const holds = low <= win + tie / 2 && win + tie / 2 <= high
      if (holds) covered += Math.exp(ways) * win ** wins * tie ** ties * lose ** losses
    }
  }
  return covered
}

describe('winRate', () => {
  it.each(statVectors.win_rate)('is exact to 1e-9 for $wins wins, $ties ties, $losses losses', (row) => {
    const rate = winRate(row)!
    expect(rate.winRate).toBeCloseTo(row.win_rate, 9)
    expect(rate.effectiveTrials).toBeCloseTo(row.n_eff, 9)
    expectInterval(rate.interval, row.ci_tie_aware)
    const n = row.wins + row.ties + row.losses
    expectInterval(wilsonInterval(row.win_rate * n, n), row.ci_plain_wilson)
  })

  it.each([
    [60, 10, 30, 0.65, 0.558171, 0.73191, false],
    [12, 5, 3, 0.725, 0.544145, 0.85343, false],
    [10, 0, 0, 1, 0.722467, 1, false],
    [30, 50, 20, 0.55, 0.481105, 0.617029, true],
  ])('is as tabled for %i wins, %i ties, %i losses', (wins, ties, losses, rate, low, high, inconclusive) => {
    const result = winRate({ wins, ties, losses })
    expect(result).toMatchObject({ winRate: rate, inconclusive })
    expectInterval(result?.interval, [low, high], 6)
  })

  it.each<[readonly [number, number, number], number, number]>([
    [[0.3, 0.4, 0.3], 50, 0.948],
    [[0.6, 0.3, 0.1], 50, 0.944],
    [[0.2, 0.7, 0.1], 50, 0.943],
  ])('has the expected exact coverage for rates %j and n %i', (rates, n, expected) => {
    expect(coverage(rates, n)).toBeCloseTo(expected, 3)
  })

  it('is mirrored when the models are swapped, contains its rate, and is Wilson’s interval without ties', () => {
    fc.assert(
      fc.property(counts, ({ wins, ties, losses }) => {
        const one = winRate({ wins, ties, losses })
        if (one === null) return expect(wins + ties + losses).toBe(0)
        const other = winRate({ wins: losses, ties, losses: wins })!
        expect(other.interval.low).toBeCloseTo(1 - one.interval.high, 9)
        expect(one.interval.low).toBeLessThanOrEqual(one.winRate + 1e-12)
        expect(one.interval.high).toBeGreaterThanOrEqual(one.winRate - 1e-12)
        if (ties === 0) expectInterval(one.interval, Object.values(wilsonInterval(wins, wins + losses)!) as never, 9)
      }),
    )
  })

  it('is null without comparisons and refuses impossible counts', () => {
    expect(winRate({ wins: 0, ties: 0, losses: 0 })).toBeNull()
    expect(() => winRate({ wins: 1, ties: -1, losses: 0 })).toThrow('ties must be')
  })
})
