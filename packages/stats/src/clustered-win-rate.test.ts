import fc from 'fast-check'
import { clusteredMean } from './clustered-mean.ts'
import { clusteredWinRate } from './clustered-win-rate.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { wilsonInterval } from './wilson-interval.ts'
import { type PairwiseCounts, type WinRate, winRate } from './win-rate.ts'

/** Five runs with mean 0.6 and cluster-robust standard error 0.191369. */
const RUNS = [
  { wins: 3, ties: 0, losses: 0 },
  { wins: 1, ties: 0, losses: 1 },
  { wins: 0, ties: 0, losses: 4 },
  { wins: 2, ties: 0, losses: 0 },
  { wins: 3, ties: 0, losses: 1 },
]
const counts = fc.record({ wins: fc.nat(8), ties: fc.nat(8), losses: fc.nat(8) })

function total(clusters: readonly PairwiseCounts[]): PairwiseCounts {
  const sum = (key: keyof PairwiseCounts) => clusters.reduce((all, cluster) => all + cluster[key], 0)
  return { wins: sum('wins'), ties: sum('ties'), losses: sum('losses') }
}

/**
 * Share of seeded evals whose interval contains 0.58. In each, every run has its own probability of a win, 0.2 or 0.76 with
 * a tie in every fifth step, and a random number of steps.
 */
function coverage(
  { runs, maxSteps, evals }: { runs: number; maxSteps: number; evals: number },
  estimate: (clusters: readonly PairwiseCounts[]) => WinRate | null,
): number {
  const random = randomFromSeed('clusters')
  const drawRun = () => {
    const [win, tie] = random() < 0.5 ? [0.2, 0.2] : [0.76, 0.2]
    const run = { wins: 0, ties: 0, losses: 0 }
    const steps = 1 + Math.floor(random() * maxSteps)
    for (let step = 0; step < steps; step += 1) {
      const unit = random()
      run[unit < win! ? 'wins' : unit < win! + tie! ? 'ties' : 'losses'] += 1
    }
    return run
  }
  let held = 0
  for (let done = 0; done < evals; done += 1) {
    const { low, high } = estimate(Array.from({ length: runs }, drawRun))!.interval
    if (low <= 0.58 && 0.58 <= high) held += 1
  }
  return held / evals
}

describe('clusteredWinRate', () => {
  it('is Wilson’s interval at the effective number of comparisons', () => {
    const rate = clusteredWinRate(RUNS)!
    // For five clusters: √(5/4), and Student's quantile with 4 degrees of freedom instead of the normal one.
    const trials = (0.6 * 0.4) / ((5 / 4) * ((0.191369 * 2.776445) / 1.959964) ** 2)
    expect(rate.winRate).toBeCloseTo(0.6, 12)
    expect(rate.effectiveTrials).toBeCloseTo(trials, 4)
    expectInterval(rate.interval, Object.values(wilsonInterval(0.6 * trials, trials)!) as never, 5)
    expect(rate.inconclusive).toBe(true)
  })

  it('counts only clusters when they do not differ, also at 0 and 1', () => {
    for (const cluster of [
      { wins: 7, ties: 0, losses: 3 },
      { wins: 4, ties: 0, losses: 0 },
      { wins: 0, ties: 0, losses: 4 },
      { wins: 0, ties: 3, losses: 0 },
    ]) {
      expect(clusteredWinRate(Array(6).fill(cluster))?.effectiveTrials).toBe(6)
    }
    expect(clusteredWinRate([{ wins: 9, ties: 2, losses: 5 }])?.effectiveTrials).toBe(1)
  })

  it('is never narrower than winRate for clusters of one without ties, and close to it for many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (wins, losses) => {
        const single = [
          ...Array(wins).fill({ wins: 1, ties: 0, losses: 0 }),
          ...Array(losses).fill({ wins: 0, ties: 0, losses: 1 }),
        ]
        const { low, high } = winRate({ wins, ties: 0, losses })!.interval
        const clustered = clusteredWinRate(single)!.interval
        expect(clustered.low).toBeLessThanOrEqual(low)
        expect(clustered.high).toBeGreaterThanOrEqual(high)
        if (wins + losses >= 100) expect(clustered.high - clustered.low).toBeLessThan(1.04 * (high - low))
      }),
    )
  })

  it('has the rate of winRate, is mirrored, and is never narrower than for independent comparisons', () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 20 }), (clusters) => {
        const one = clusteredWinRate(clusters)
        const all = winRate(total(clusters))
        if (one === null || all === null) return expect(one).toBe(all)
        const other = clusteredWinRate(
          clusters.map(({ wins, ties, losses }) => ({ wins: losses, ties, losses: wins })),
        )!
        expect(one.winRate).toBeCloseTo(all.winRate, 12)
        expect(other.interval.low).toBeCloseTo(1 - one.interval.high, 9)
        expect(one.effectiveTrials).toBeLessThanOrEqual(all.effectiveTrials + 1e-9)
        const { mean, standardError } = clusteredMean(clusters.map(scores))!
        const [bound, spread] = [mean * (1 - mean), one.effectiveTrials * standardError ** 2]
        return expect(spread).toBeLessThanOrEqual(bound + 1e-9)
      }),
    )
  })

  it.each([
    [30, 3],
    [40, 10],
    [100, 5],
  ])('contains the true value in 95 % of evals with %i runs of up to %i steps', (runs, maxSteps) => {
    expect(coverage({ runs, maxSteps, evals: 2000 }, clusteredWinRate)).toBeGreaterThan(0.93)
  })

  it('is needed, because an interval for independent steps contains the true value too rarely', () => {
    expect(coverage({ runs: 40, maxSteps: 10, evals: 2000 }, (runs) => winRate(total(runs)))).toBeLessThan(0.8)
  })

  it('is null without comparisons and refuses impossible counts', () => {
    expect(clusteredWinRate([])).toBeNull()
    expect(clusteredWinRate([{ wins: 0, ties: 0, losses: 0 }])).toBeNull()
    expect(() => clusteredWinRate([{ wins: 1, ties: -1, losses: 0 }])).toThrow('ties must be')
  })
})

function scores({ wins, ties, losses }: PairwiseCounts): number[] {
  return [...Array(wins).fill(1), ...Array(ties).fill(0.5), ...Array(losses).fill(0)]
}
