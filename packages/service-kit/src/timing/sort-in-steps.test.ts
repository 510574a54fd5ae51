import fc from 'fast-check'
import { runToEnd } from './run-to-end.ts'
import { sortInSteps } from './sort-in-steps.ts'

it('sorts as toSorted does, equal items too', () => {
  const sizes = fc.constantFrom(0, 1, 999, 1_000, 1_001, 2_500, 5_000)
  fc.assert(
    fc.property(sizes, fc.nat(), (size, seed) => {
      const items = Array.from({ length: size }, (_, at) => ({ at, key: (at * 7_919 + seed) % 13 }))
      const byKey = (a: { readonly key: number }, b: { readonly key: number }) => a.key - b.key
      expect(runToEnd(sortInSteps(items, byKey))).toEqual(items.toSorted(byKey))
    }),
    { numRuns: 50 },
  )
})
