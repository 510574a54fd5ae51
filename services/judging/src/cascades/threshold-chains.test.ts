import { thresholdChains } from './threshold-chains.ts'

it('begins strictly, and loosens the last judge first, with and without the first judges', () => {
  expect(thresholdChains([3, 1])).toEqual([
    [
      [3, 1],
      [2, 1],
    ],
    [[null, 1]],
  ])
  expect(thresholdChains([1, 5, 3])[1]).toEqual([
    [null, 5, 3],
    [null, 5, 2],
    [null, 4, 2],
    [null, 3, 2],
  ])
})

it('never lets half of the verdicts decide', () => {
  for (const thresholds of thresholdChains([5, 3, 1]).flat()) {
    for (const [judge, minEqual] of thresholds.entries()) {
      if (minEqual !== null) expect(minEqual).toBeGreaterThan((([5, 3, 1] as const)[judge] ?? 0) / 2)
    }
  }
})
