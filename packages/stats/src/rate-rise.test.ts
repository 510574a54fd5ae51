import { rateRise } from './rate-rise.ts'

/** Tails of the hypergeometric distribution, by exact fractions. */
it.each([
  [1, 10, 6, 10, 0.02863777089783282],
  [5, 50, 0, 50, 1],
  [0, 1, 1, 1, 0.5],
  [122, 1_000, 168, 1_000, 0.0021038858379326085],
  [350, 2_800, 235, 1_400, 0.00011126778057100711],
  [3, 50, 28, 70, 1.2185789372826257e-5],
  [50, 50, 50, 50, 1],
  [40, 50, 10, 50, 0.9999999999348242],
  [3_740, 30_000, 1_010, 7_000, 6.935954561318985e-6],
])('%i of %i before and %i of %i after have the exact p value', (hits, trials, hitsAfter, trialsAfter, p) => {
  const found = rateRise({ before: { hits, trials }, after: { hits: hitsAfter, trials: trialsAfter } })
  expect(found?.rise).toBeCloseTo(hitsAfter / trialsAfter - hits / trials, 12)
  expect(Math.abs((found?.p ?? 0) / p - 1)).toBeLessThan(1e-9)
})

it('has a smaller p the more of the hits came after', () => {
  const trials = { before: 20, after: 30 }
  const tails = Array.from({ length: 13 }, (_, hits) =>
    rateRise({
      before: { hits: 12 - hits, trials: trials.before },
      after: { hits, trials: trials.after },
    }),
  ).map((found) => found?.p ?? 0)
  expect(tails).toEqual(tails.toSorted((one, other) => other - one))
  expect(tails[0]).toBe(1)
})

it('is null without trials, and refuses impossible counts', () => {
  const some = { hits: 1, trials: 2 }
  expect(rateRise({ before: { hits: 0, trials: 0 }, after: some })).toBeNull()
  expect(rateRise({ before: some, after: { hits: 0, trials: 0 } })).toBeNull()
  expect(() => rateRise({ before: some, after: { hits: 3, trials: 2 } })).toThrow('successes1')
})
