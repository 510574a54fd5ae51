import fc from 'fast-check'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { holmAdjust } from './holm-adjust.ts'

const pValues = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

describe('holmAdjust', () => {
  it('is as tabled, in the order given', () => {
    expect(holmAdjust([0.012, 0.04, 0.03])).toEqual([0.036, 0.06, 0.06].map((p) => expect.closeTo(p, 12)))
    expect(holmAdjust([])).toEqual([])
  })

  it('agrees with statsmodels', () => {
    for (const { p, adjusted } of referenceNumbers.holm) {
      holmAdjust(p).forEach((value, index) => {
        expect(value).toBeCloseTo(adjusted[index]!, 14)
      })
    }
  })

  it('lies between the raw value and that of Bonferroni, and keeps the order', () => {
    fc.assert(
      fc.property(pValues, (all) => {
        const adjusted = holmAdjust(all)
        all.forEach((p, index) => {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p)
          expect(adjusted[index]).toBeLessThanOrEqual(Math.min(1, p * all.length))
          all.forEach((other, at) => {
            if (p <= other) expect(adjusted[index]).toBeLessThanOrEqual(adjusted[at]!)
          })
        })
      }),
    )
  })

  it('refuses a value that is not a p-value', () => {
    expect(() => holmAdjust([0.1, 1.1])).toThrow('pValues[1]')
  })
})
