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
    expect(Math.abs(trials / (exact?.effectiveTrials ?? 0) - 1)).toBeLessThan(0.3)
  }
})
