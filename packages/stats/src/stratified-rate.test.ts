import { stratifiedAccuracy } from './stratified-accuracy.ts'
import { priorPart, type RateStratum, stratifiedRate } from './stratified-rate.ts'

/** 100 rows judged FAIL, 50 graded, 40 human FAIL; 900 judged PASS, 50 graded, 5 human FAIL. */
const tpr: readonly RateStratum[] = [
  { rows: 100, found: 40, missed: 0, others: 10, verdict: 'finds' },
  { rows: 900, found: 0, missed: 5, others: 45, verdict: 'misses' },
]

it('has the rate and about the interval of the closed form for two strata', () => {
  const rated = stratifiedRate(tpr, { seed: 'a' })
  const known = stratifiedAccuracy({
    judgedFail: { rows: 100, graded: 50, humanFails: 40 },
    judgedPass: { rows: 900, graded: 50, humanFails: 5 },
  }).tpr
  expect(rated?.rate).toBeCloseTo(80 / 170, 12)
  expect(Math.abs((rated?.interval.low ?? 0) - (known?.interval.low ?? 1))).toBeLessThan(0.03)
  expect(Math.abs((rated?.interval.high ?? 0) - (known?.interval.high ?? 1))).toBeLessThan(0.04)
})

it('has the same interval for the same seed, and about the same for another one', () => {
  const low = (seed: string) => stratifiedRate(tpr, { seed })?.interval.low ?? 0
  expect(low('a')).toBe(low('a'))
  expect(Math.abs(low('a') - low('b'))).toBeLessThan(0.02)
})

it('proves little when a large stratum that misses has few grades, although none of them is a miss', () => {
  const rated = stratifiedRate(
    [
      { rows: 530, found: 180, missed: 0, others: 20, verdict: 'finds' },
      { rows: 4_470, found: 0, missed: 0, others: 20, verdict: 'misses' },
    ],
    { seed: 'a' },
  )
  expect(rated?.rate).toBe(1)
  expect(rated?.interval.low).toBeLessThan(0.8)
})

it('is nearly the interval of a simple random sample when there is one stratum', () => {
  const rated = stratifiedRate([{ rows: 1e6, found: 90, missed: 10, others: 900, verdict: null }], { seed: 'a' })
  expect(rated?.interval.low).toBeCloseTo(0.825, 1)
  expect(rated?.effectiveTrials).toBeLessThanOrEqual(100)
})

it('has no estimate while a stratum has no grade, or no graded row is of the class', () => {
  const ungraded: RateStratum = { rows: 900, found: 0, missed: 0, others: 0, verdict: 'misses' }
  expect(stratifiedRate([...tpr, ungraded], { seed: 'a' })).toBeNull()
  expect(stratifiedRate([{ rows: 9, found: 0, missed: 0, others: 9, verdict: null }], { seed: 'a' })).toBeNull()
  expect(stratifiedRate([], { seed: 'a' })).toBeNull()
})

it('refuses impossible counts', () => {
  expect(() => stratifiedRate([{ rows: 0, found: 1, missed: 0, others: 0, verdict: null }], { seed: 'a' })).toThrow(
    RangeError,
  )
  expect(() => stratifiedRate([{ rows: 1, found: -1, missed: 0, others: 0, verdict: null }], { seed: 'a' })).toThrow(
    RangeError,
  )
})

describe('strata that share a part of the prior', () => {
  const large: RateStratum = { rows: 1_500, found: 0, missed: 0, others: 250, verdict: 'misses' }
  const small: RateStratum = { rows: 60, found: 0, missed: 2, others: 40, verdict: 'misses' }
  const finding: RateStratum = { rows: 240, found: 60, missed: 0, others: 2, verdict: 'finds' }
  const effective = (strata: readonly RateStratum[]) => stratifiedRate(strata, { seed: 'a' })?.effectiveTrials ?? 0
  const halves = (priorGroup?: string) => [
    { ...small, rows: 30, missed: 1, others: 20, priorGroup },
    { ...small, rows: 30, missed: 1, others: 20, priorGroup },
  ]

  it('leave another one the part that it has beside them as one, although there are more of them', () => {
    const [alone, grouped, apart] = [[small], halves('disputed'), halves()].map((other) =>
      effective([finding, large, ...other]),
    )
    expect(Math.abs((grouped ?? 0) / (alone ?? 1) - 1)).toBeLessThan(0.08)
    expect(apart ?? 0).toBeGreaterThan(1.1 * (grouped ?? 0))
  })

  it('have that part in equal parts', () => {
    const sharing: readonly RateStratum[] = [large, ...halves('disputed')]
    expect(sharing.map((stratum) => priorPart(stratum, sharing))).toEqual([1 / 2, 1 / 4, 1 / 4])
    const apart = [large, ...halves()]
    expect(apart.map((stratum) => priorPart(stratum, apart))).toEqual([1 / 3, 1 / 3, 1 / 3])
  })
})
