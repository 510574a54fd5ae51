import { cohenKappa } from './cohen-kappa.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { fleissKappa } from './fleiss-kappa.ts'

describe('fleissKappa', () => {
  it('agrees with statsmodels', () => {
    for (const { fails, graders, kappa } of referenceNumbers.fleissKappa) {
      const items = fails.map((count) => ({ fails: count, passes: graders - count }))
      expect(fleissKappa(items)).toBeCloseTo(kappa, 12)
    }
  })

  it('equals Cohen’s kappa for two graders who fail equally often', () => {
    const items = [
      ...Array.from({ length: 40 }, () => ({ fails: 2, passes: 0 })),
      ...Array.from({ length: 10 }, () => ({ fails: 1, passes: 1 })),
      ...Array.from({ length: 50 }, () => ({ fails: 0, passes: 2 })),
    ]
    expect(fleissKappa(items)).toBeCloseTo(cohenKappa({ tp: 40, fn: 5, fp: 5, tn: 50 })!, 12)
  })

  it('excludes items with one grade, and is null when no others remain', () => {
    const items = [
      { fails: 3, passes: 0 },
      { fails: 0, passes: 2 },
    ]
    expect(fleissKappa(items)).toBe(1)
    expect(fleissKappa([...items, { fails: 1, passes: 0 }, { fails: 0, passes: 0 }])).toBe(1)
    expect(fleissKappa([{ fails: 1, passes: 0 }])).toBeNull()
    expect(fleissKappa([{ fails: 2, passes: 0 }])).toBeNull()
    expect(fleissKappa([])).toBeNull()
    expect(() => fleissKappa([{ fails: -1, passes: 0 }])).toThrow('fails must be')
  })
})
