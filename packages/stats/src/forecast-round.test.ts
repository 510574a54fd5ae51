import { forecastRound, openClassesOfRound, type RoundStratum, roundOrder } from './forecast-round.ts'
import { randomFromSeed } from './random-from-seed.ts'

const stratum = (more: Partial<RoundStratum>): RoundStratum => ({
  rows: 1_000,
  verdict: 'pass',
  fails: 0,
  passes: 0,
  available: 900,
  ...more,
})

const promising = [
  stratum({ rows: 450, verdict: 'fail', fails: 40, passes: 1, available: 409 }),
  stratum({ rows: 100, verdict: 'fail', fails: 6, passes: 4, available: 90 }),
  stratum({ rows: 350, fails: 2, passes: 60, available: 288 }),
  stratum({ rows: 3_100, fails: 0, passes: 120, available: 2_980 }),
]
const forecast = (strata: readonly RoundStratum[]) => forecastRound(strata, { random: randomFromSeed('a') })

it('says after how many further grades a judge is proven, the same for the same seed', () => {
  const { expected, likely, curve } = forecast(promising)
  expect(likely).toBeGreaterThan(0)
  expect(expected).toBeGreaterThan(0)
  expect(expected).toBeLessThanOrEqual(likely ?? 0)
  expect(curve.map(({ grades }) => grades)).toEqual(curve.map(({ grades }) => grades).toSorted((a, b) => a - b))
  expect(curve.find(({ grades }) => grades === likely)?.trusted).toBeGreaterThanOrEqual(0.8)
  expect(forecast(promising)).toEqual(forecast(promising))
})

it('needs none when both rates are proven, and promises nothing that is out of reach', () => {
  const proven = [
    stratum({ rows: 500, verdict: 'fail', fails: 300, passes: 0, available: 200 }),
    stratum({ rows: 500, fails: 0, passes: 400, available: 100 }),
  ]
  expect(openClassesOfRound(proven)).toEqual([])
  expect(forecast(proven)).toEqual({ expected: 0, likely: 0, curve: [] })
  const hopeless = [
    stratum({ rows: 500, verdict: 'fail', fails: 50, passes: 0, available: 450 }),
    stratum({ rows: 500, fails: 20, passes: 30, available: 450 }),
  ]
  expect(forecast(hopeless)).toMatchObject({ expected: null, likely: null })
})

it('takes most grades from what the judge passed and the challenger failed, for its size', () => {
  const order = roundOrder(promising, 200, ['fail'])
  const share = (place: number) => order.filter((each) => each === place).length / (promising[place]?.rows ?? 1)
  expect(share(2)).toBeGreaterThan(1.5 * share(3))
  expect(share(0)).toBeLessThan(share(2))
})

it('counts items without an answer as taken, so that none is asked for again and again', () => {
  const learned = stratum({ verdict: 'fail', fails: 10, available: 990 })
  expect(roundOrder([stratum({ taken: 0 }), learned], 9)).toEqual(Array.from({ length: 9 }, () => 0))
  expect(roundOrder([stratum({ taken: 9 }), learned], 1)).toEqual([0])
  expect(roundOrder([stratum({ taken: 9, available: 0 }), learned], 1)).toEqual([1])
})
