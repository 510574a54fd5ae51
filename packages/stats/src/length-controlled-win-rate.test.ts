import { lengthControlledWinRate, type SizedComparison } from './length-controlled-win-rate.ts'
import { randomFromSeed } from './random-from-seed.ts'

/** Comparisons of a candidate with these log-odds at equal length, whose win rate grows with its length. */
function drawn(seed: string, { count, odds, slope, longer }: Record<'count' | 'odds' | 'slope' | 'longer', number>) {
  const random = randomFromSeed(seed)
  return Array.from({ length: count }, (_, index): SizedComparison => {
    const lengthDifference = 400 * (random() + random() - 1) + longer
    const size = Math.tanh(lengthDifference / Math.hypot(longer, 163))
    const rate = 1 / (1 + Math.exp(-odds - slope * size))
    return { score: random() < rate ? 1 : 0, lengthDifference, cluster: String(index) }
  })
}

describe('lengthControlledWinRate', () => {
  it('maximises the penalised likelihood', () => {
    const comparisons = drawn('fit', { count: 200, odds: 0.3, slope: 1, longer: 100 })
    const found = lengthControlledWinRate(comparisons)!
    const spread = Math.sqrt(comparisons.reduce((sum, each) => sum + each.lengthDifference ** 2, 0) / 200)
    const likelihood = (intercept: number, slope: number) =>
      comparisons.reduce((sum, { score, lengthDifference }) => {
        const rate = 1 / (1 + Math.exp(-intercept - slope * Math.tanh(lengthDifference / spread)))
        return sum + score * Math.log(rate) + (1 - score) * Math.log(1 - rate)
      }, 0) -
      slope ** 2 / 2
    const intercept = Math.log(found.winRate / (1 - found.winRate))
    const best = likelihood(intercept, found.slope)
    for (const [one, other] of [
      [0.01, 0],
      [-0.01, 0],
      [0, 0.01],
      [0, -0.01],
    ] as const) {
      expect(likelihood(intercept + one, found.slope + other)).toBeLessThan(best)
    }
  })

  it('is 0.5 for a candidate that wins only by its length', () => {
    const raw = { total: 0, held: 0 }
    for (let run = 0; run < 300; run += 1) {
      const comparisons = drawn(`run ${run}`, { count: 300, odds: 0, slope: 1.5, longer: 150 })
      raw.total += comparisons.reduce((sum, { score }) => sum + score, 0) / 300
      const { interval } = lengthControlledWinRate(comparisons)!
      if (interval.low <= 0.5 && interval.high >= 0.5) raw.held += 1
    }
    expect(raw.total / 300).toBeGreaterThan(0.65)
    expect(raw.held / 300).toBeGreaterThan(0.9)
  })

  it('is the raw win rate when length has no influence', () => {
    const comparisons = [...Array(80).keys()].map((index) => ({
      score: index % 4 === 0 ? 0 : 1,
      lengthDifference: index % 8 < 4 ? 10 : -10,
      cluster: String(index),
    }))
    expect(lengthControlledWinRate(comparisons)!.winRate).toBeCloseTo(0.75, 9)
  })

  it('widens the interval for clusters that do not differ inside', () => {
    const once = drawn('clusters', { count: 60, odds: 0.2, slope: 0.5, longer: 0 })
    const thrice = once.flatMap((each) => [each, each, each])
    const alone = thrice.map((each, index) => ({ ...each, cluster: String(index) }))
    const widthOf = (rows: readonly SizedComparison[]) => {
      const { interval } = lengthControlledWinRate(rows)!
      return interval.high - interval.low
    }
    expect(widthOf(thrice) / widthOf(alone)).toBeCloseTo(Math.sqrt(3), 1)
  })

  it('is null without a difference to control for, and for few clusters', () => {
    const row = (index: number) => ({ score: index % 2, lengthDifference: index, cluster: String(index) })
    const rows = [...Array(30).keys()].map(row)
    expect(lengthControlledWinRate(rows)).not.toBeNull()
    expect(lengthControlledWinRate([])).toBeNull()
    expect(lengthControlledWinRate(rows.slice(0, 9))).toBeNull()
    expect(lengthControlledWinRate(rows.map((each) => ({ ...each, score: 1 })))).toBeNull()
    expect(lengthControlledWinRate(rows.map((each) => ({ ...each, lengthDifference: 0 })))).toBeNull()
    expect(() => lengthControlledWinRate([{ ...row(0), score: 2 }])).toThrow('scores')
    expect(() => lengthControlledWinRate([{ ...row(0), lengthDifference: Number.NaN }])).toThrow('lengthDifferences')
  })

  it('stays finite when length separates wins from losses', () => {
    const rows = [...Array(30).keys()].map((index) => ({
      score: index < 15 ? 0 : 1,
      lengthDifference: index < 15 ? -100 - index : 100 + index,
      cluster: String(index),
    }))
    const found = lengthControlledWinRate(rows)!
    expect(found.winRate).toBeCloseTo(0.5, 1)
    expect(Number.isFinite(found.slope)).toBe(true)
  })
})
