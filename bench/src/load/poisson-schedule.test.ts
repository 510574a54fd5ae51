import { seededRandom } from '@ratchet/testing/seeded-random'
import { shuffled } from '../measure/shuffled.ts'
import { poissonSchedule } from './poisson-schedule.ts'

const schedule = (seed: number) => poissonSchedule({ ratePerSecond: 200, seconds: 100 }, seededRandom(seed))

describe('poissonSchedule', () => {
  it('gives the same arrivals for the same seed and others for another', () => {
    expect(schedule(7)).toEqual(schedule(7))
    expect(schedule(7)).not.toEqual(schedule(8))
  })

  it('is ascending and ends in time', () => {
    const due = schedule(7)
    expect(due.every((at, index) => at > (due[index - 1] ?? 0) && at < 100_000)).toBe(true)
  })

  it('has as many arrivals, and as many short gaps, as a Poisson process of that rate', () => {
    const due = schedule(7)
    const gaps = due.map((at, index) => at - (due[index - 1] ?? 0))
    // 20 000 expected: five standard deviations are 5 · √20 000 = 707.
    expect(Math.abs(due.length - 20_000)).toBeLessThan(707)
    // P(gap < 1 ms) = 1 − e^−0.2 = 0.1813
    expect(gaps.filter((gap) => gap < 1).length / gaps.length).toBeCloseTo(0.1813, 1)
  })
})

describe('shuffled', () => {
  it('keeps every value once', () => {
    const values = [1, 2, 3, 4, 5]
    expect(shuffled(values, seededRandom(3)).sort()).toEqual(values)
  })
})
