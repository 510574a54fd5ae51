import { randomFromSeed } from './random-from-seed.ts'
import { stratifiedRate } from './stratified-rate.ts'
import { type TalliedStratum, tallyClass } from './tally-class.ts'

it('counts a random draw as it is', () => {
  const stratum: TalliedStratum = { rows: 2_000, verdict: null }
  expect(tallyClass([stratum], [[40, 2, 3, 90]], 'fail')).toEqual({ found: 40, trials: 42 })
  expect(tallyClass([stratum], [[40, 2, 3, 90]], 'pass')).toEqual({ found: 90, trials: 93 })
})

it('counts strata nearly as a calibration does', () => {
  const random = randomFromSeed('strata')
  for (let run = 0; run < 30; run += 1) {
    const upTo = (count: number) => Math.floor(random() * count)
    const fails = { found: 50 + upTo(150), others: upTo(10) }
    const passes = { missed: upTo(4), others: 100 + upTo(200) }
    const strata = [
      { rows: 600, verdict: 'fail' as const },
      { rows: 1_400, verdict: 'pass' as const },
    ]
    const tallies = [
      [fails.found, 0, fails.others, 0],
      [0, passes.missed, 0, passes.others],
    ]
    const exact = stratifiedRate(
      [
        { rows: 600, found: fails.found, missed: 0, others: fails.others, verdict: 'finds' },
        { rows: 1_400, found: 0, missed: passes.missed, others: passes.others, verdict: 'misses' },
      ],
      { seed: String(run) },
    )
    const { found, trials } = tallyClass(strata, tallies, 'fail')
    expect(found / trials).toBeCloseTo(exact?.rate ?? 0, 9)
    expect(Math.abs(trials / (exact?.effectiveTrials ?? 0) - 1)).toBeLessThan(0.2)
  }
})

it('counts strata of disputed exchanges without a bias, since a bias would promise too much', () => {
  const random = randomFromSeed('disputed')
  const upTo = (count: number) => Math.floor(random() * count)
  const ratios = Array.from({ length: 60 }, (_, run) => {
    const disputed = { found: 2 + upTo(6), others: 2 + upTo(6), missed: 1 + upTo(3), passes: 3 + upTo(5) }
    const graded = 150 + upTo(150)
    const missed = upTo(3)
    const strata = [600, 20, 1_345, 35].map((rows, place): TalliedStratum => {
      return { rows, verdict: place < 2 ? 'fail' : 'pass' }
    })
    const tallies = [
      [graded, 0, 5, 0],
      [disputed.found, 0, disputed.others, 0],
      [0, missed, 0, graded],
      [0, disputed.missed, 0, disputed.passes],
    ]
    const exact = stratifiedRate(
      tallies.map(([found = 0, missed = 0, others = 0, right = 0], place) => ({
        rows: strata[place]?.rows ?? 0,
        found,
        missed,
        others: others + right,
        verdict: place < 2 ? 'finds' : 'misses',
      })),
      { seed: String(run) },
    )
    return tallyClass(strata, tallies, 'fail').trials / (exact?.effectiveTrials ?? 0)
  }).toSorted((one, other) => one - other)
  expect(ratios[6]).toBeGreaterThan(0.85)
  expect(ratios[30]).toBeCloseTo(1, 1)
  expect(ratios[54]).toBeLessThan(1.15)
})

it('has what an interval by chance makes of the trials, and never more than all grades', () => {
  const strata: readonly TalliedStratum[] = [
    { rows: 600, verdict: 'fail' },
    { rows: 1_400, verdict: 'pass' },
  ]
  const tallies = [
    [60, 0, 1, 0],
    [0, 0, 0, 60],
  ]
  const { trials } = tallyClass(strata, tallies, 'fail')
  expect(tallyClass(strata, tallies, 'fail', 1.03).trials).toBeCloseTo(trials * 1.03, 9)
  expect(tallyClass(strata, tallies, 'fail', 100).trials).toBe(121)
})
