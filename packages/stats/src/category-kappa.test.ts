import { categoryKappa } from './category-kappa.ts'
import { cohenKappa } from './cohen-kappa.ts'

describe('categoryKappa', () => {
  it('is Cohen’s kappa for two categories', () => {
    for (const confusion of [
      { tp: 46, fn: 4, fp: 8, tn: 142 },
      { tp: 1, fn: 4, fp: 1, tn: 94 },
    ]) {
      const { tp, fn, fp, tn } = confusion
      expect(
        categoryKappa([
          [tp, fn],
          [fp, tn],
        ]),
      ).toBeCloseTo(cohenKappa(confusion)!, 12)
    }
  })

  it('is exact for three categories', () => {
    // Observed 34/50; by chance (20·18 + 15·16 + 15·16)/50² = 840/2500.
    const table = [
      [14, 3, 3],
      [2, 10, 3],
      [2, 3, 10],
    ]
    expect(categoryKappa(table)).toBeCloseTo((34 / 50 - 840 / 2500) / (1 - 840 / 2500), 12)
  })

  it('is null without ratings or for one category, and refuses other tables', () => {
    expect(categoryKappa([])).toBeNull()
    expect(
      categoryKappa([
        [5, 0],
        [0, 0],
      ]),
    ).toBeNull()
    expect(() => categoryKappa([[1, 2]])).toThrow(RangeError)
    expect(() => categoryKappa([[-1]])).toThrow(RangeError)
  })
})
