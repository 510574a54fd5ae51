import fc from 'fast-check'
import { cohenKappa } from './cohen-kappa.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

const confusion = fc.record({ tp: fc.nat(500), fn: fc.nat(500), fp: fc.nat(500), tn: fc.nat(500) })

describe('cohenKappa', () => {
  it.each(statVectors.kappa)('is exact to 1e-9 for $tp, $fn, $fp, $tn', ({ kappa, ...counts }) => {
    if (kappa === null) expect(cohenKappa(counts)).toBeNull()
    else expect(cohenKappa(counts)).toBeCloseTo(kappa, 9)
  })

  it.each([
    [{ tp: 46, fn: 4, fp: 5, tn: 95 }, 0.865672],
    [{ tp: 20, fn: 5, fp: 10, tn: 15 }, 0.4],
  ])('is as tabled for %j', (counts, kappa) => {
    expect(cohenKappa(counts)).toBeCloseTo(kappa, 6)
  })

  it('agrees with scikit-learn', () => {
    for (const { kappa, ...counts } of referenceNumbers.cohenKappa) expect(cohenKappa(counts)).toBeCloseTo(kappa, 12)
  })

  it('is in -1..1, and depends on neither the order of the raters nor the names of the answers', () => {
    fc.assert(
      fc.property(confusion, ({ tp, fn, fp, tn }) => {
        const kappa = cohenKappa({ tp, fn, fp, tn })
        expect(cohenKappa({ tp, fn: fp, fp: fn, tn })).toBe(kappa)
        expect(cohenKappa({ tp: tn, fn: fp, fp: fn, tn: tp })).toBe(kappa)
        if (kappa === null) return
        expect(kappa).toBeGreaterThanOrEqual(-1)
        expect(kappa).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is null without rows and refuses impossible counts', () => {
    expect(cohenKappa({ tp: 0, fn: 0, fp: 0, tn: 0 })).toBeNull()
    expect(() => cohenKappa({ tp: -1, fn: 0, fp: 0, tn: 0 })).toThrow('tp must be')
  })
})
