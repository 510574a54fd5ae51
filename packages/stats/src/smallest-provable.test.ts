import { smallestProvable } from './smallest-provable.ts'
import { wilsonInterval } from './wilson-interval.ts'

it.each([20, 100, 500])('is where the interval of %d samples ends at one half', (judged) => {
  const wins = (0.5 + smallestProvable(judged)) * judged
  expect(wilsonInterval(wins, judged)?.low).toBeCloseTo(0.5, 12)
})

it('is everything without samples, or with too few', () => {
  expect([smallestProvable(0), smallestProvable(1)]).toEqual([0.5, 0.5])
})
