import { bootstrapInterval } from './bootstrap-interval.ts'
import { costSavings } from './cost-savings.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { randomFromSeed } from './random-from-seed.ts'
import { savingsInterval } from './savings-interval.ts'

describe('savingsInterval', () => {
  it('agrees with SciPy’s paired bootstrap, BCa for few prompts and percentiles for many', () => {
    for (const { pairs, savings, low, high } of referenceNumbers.savings) {
      expect(costSavings(pairs)?.savings).toBeCloseTo(savings, 12)
      const interval = savingsInterval(pairs, { random: randomFromSeed('eval_1'), resamples: 12_000 })!
      expect(Math.abs(interval.low - low) / (high - low)).toBeLessThan(0.03)
      expect(Math.abs(interval.high - high) / (high - low)).toBeLessThan(0.03)
    }
  })

  it('is the same for the same seed and contains the savings', () => {
    const { pairs, savings } = referenceNumbers.savings[1]!
    const once = savingsInterval(pairs, { random: randomFromSeed('eval_1') })!
    expect(savingsInterval(pairs, { random: randomFromSeed('eval_1') })).toEqual(once)
    expect(savingsInterval(pairs, { random: randomFromSeed('eval_2') })).not.toEqual(once)
    expect(once.low).toBeLessThan(savings)
    expect(once.high).toBeGreaterThan(savings)
  })

  it('has no width when all prompts save the same share', () => {
    const pairs = [1, 2, 4].map((baseline) => ({ baseline, candidate: baseline / 2 }))
    expect(savingsInterval(pairs, { random: randomFromSeed('x') })).toEqual({ low: 0.5, high: 0.5 })
  })

  it('accepts free prompts in the baseline', () => {
    const pairs = [0, 0, 4].map((baseline) => ({ baseline, candidate: 1 }))
    const interval = savingsInterval(pairs, { random: randomFromSeed('x') })!
    expect(interval.low).toBe(0.25)
    expect(interval.high).toBeGreaterThan(0.5)
    expect(interval.high).toBeLessThanOrEqual(0.75)
  })

  it('is null for one prompt or a free baseline', () => {
    const random = randomFromSeed('x')
    expect(savingsInterval([{ baseline: 1, candidate: 1 }], { random })).toBeNull()
    expect(savingsInterval([], { random })).toBeNull()
    const free = { baseline: 0, candidate: 1 }
    expect(savingsInterval([free, free], { random })).toBeNull()
  })
})

describe('bootstrapInterval', () => {
  it('is close to the theoretical interval for a mean of many rows', () => {
    const random = randomFromSeed('rows')
    const values = Array.from({ length: 400 }, random)
    const mean = (rows: ArrayLike<number>) => Array.from(rows, (row) => values[row]!).reduce((a, b) => a + b) / 400
    const { low, high } = bootstrapInterval({ rows: 400, statistic: mean, random })!
    expect(high - low).toBeCloseTo((2 * 1.96) / Math.sqrt(12 * 400), 2)
  })

  it('agrees with SciPy’s BCa where the statistic is biased and skewed', () => {
    for (const { values, low, high } of referenceNumbers.variance) {
      const variance = (rows: ArrayLike<number>) => {
        const drawn = Array.from(rows, (row) => values[row]!)
        const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length
        return drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length
      }
      const random = randomFromSeed('variance')
      const interval = bootstrapInterval({ rows: values.length, statistic: variance, random, resamples: 20_000 })!
      expect(interval.low / low).toBeCloseTo(1, 1)
      expect(interval.high / high).toBeCloseTo(1, 1)
    }
  })

  it('refuses impossible arguments', () => {
    const bootstrap = { rows: 3, statistic: () => 1, random: () => 0.5 }
    expect(() => bootstrapInterval({ ...bootstrap, resamples: 0 })).toThrow('resamples')
    expect(() => bootstrapInterval({ ...bootstrap, confidence: 1 })).toThrow('confidence')
    expect(() => bootstrapInterval({ ...bootstrap, rows: 1.5 })).toThrow('rows')
  })
})

describe('randomFromSeed', () => {
  it('is the same for the same text, differs for another, and is uniform over [0, 1)', () => {
    const take = (seed: string, count: number) => Array.from({ length: count }, randomFromSeed(seed))
    expect(take('a', 5)).toEqual(take('a', 5))
    expect(take('a', 5)).not.toEqual(take('b', 5))
    const many = take('c', 100_000)
    const tenths = Array.from({ length: 10 }, (_, tenth) => many.filter((value) => Math.floor(value * 10) === tenth))
    for (const values of tenths) expect(Math.abs(values.length - 10_000)).toBeLessThan(400)
    expect(many.every((value) => value >= 0 && value < 1)).toBe(true)
  })
})
