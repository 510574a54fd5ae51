import fc from 'fast-check'
import { splitItems } from './split-items.ts'

const items = fc.uniqueArray(
  fc.record({ itemKey: fc.uuid(), human: fc.constantFrom('pass' as const, 'fail' as const) }),
  { selector: ({ itemKey }) => itemKey, maxLength: 60 },
)

it('puts every item on one side, and splits each class in halves that differ by at most one item', () => {
  fc.assert(
    fc.property(items, (all) => {
      const { train, holdout } = splitItems(all)
      expect([...train, ...holdout].toSorted(byKey)).toEqual(all.toSorted(byKey))
      for (const human of ['pass', 'fail'] as const) {
        const count = (side: typeof train) => side.filter((item) => item.human === human).length
        expect(count(train) - count(holdout)).toBeGreaterThanOrEqual(0)
        expect(count(train) - count(holdout)).toBeLessThanOrEqual(1)
      }
    }),
  )
})

it('depends on the items, not on their order', () => {
  fc.assert(
    fc.property(items, (all) => {
      expect(splitItems(all.toReversed())).toEqual(splitItems(all))
    }),
  )
})

function byKey(one: { itemKey: string }, other: { itemKey: string }): number {
  return one.itemKey < other.itemKey ? -1 : 1
}
