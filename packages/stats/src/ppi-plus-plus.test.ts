import fc from 'fast-check'
import { expectInterval } from './fixtures/expect-interval.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { ppiPlusPlus } from './ppi-plus-plus.ts'

const GOOD = { graded: { tp: 24, fn: 4, fp: 6, tn: 166 }, judgedFails: 300, judged: 2000 }
const WEAK = { graded: { tp: 14, fn: 14, fp: 26, tn: 146 }, judgedFails: 400, judged: 2000 }
const cell = fc.integer({ min: 1, max: 100 })

describe('ppiPlusPlus', () => {
  it('is as tabled, with the best weight and with the weight of plain PPI', () => {
    expect(ppiPlusPlus(GOOD)).toMatchObject({ failRate: expect.closeTo(0.14, 12), lambda: expect.closeTo(0.705882, 6) })
    expectInterval(ppiPlusPlus(GOOD)?.interval, [0.10885, 0.17115], 6)
    expectInterval(ppiPlusPlus(GOOD, { lambda: 1 })?.interval, [0.105311, 0.174689], 6)
    expect(ppiPlusPlus(WEAK)?.lambda).toBeCloseTo(0.238636, 6)
    expectInterval(ppiPlusPlus(WEAK)?.interval, [0.093956, 0.186044], 6)
  })

  it('agrees with the authors’ package', () => {
    for (const { best, plain, ...sample } of referenceNumbers.ppi) {
      expectInterval(ppiPlusPlus(sample)?.interval, best, 4)
      expectInterval(ppiPlusPlus(sample, { lambda: 1 })?.interval, plain, 4)
    }
  })

  it('is the mean of the grades when the verdicts get no weight', () => {
    expect(ppiPlusPlus(GOOD, { lambda: 0 })?.failRate).toBeCloseTo(0.14, 12)
    expect(ppiPlusPlus({ ...GOOD, graded: { tp: 0, fn: 14, fp: 0, tn: 86 } })).toMatchObject({
      lambda: 0,
      failRate: 0.14,
    })
  })

  it('uses the weight with the smallest error, and is never worse than the grades alone', () => {
    fc.assert(
      fc.property(cell, cell, cell, cell, fc.double({ min: 0, max: 1, noNaN: true }), (tp, fn, fp, tn, lambda) => {
        // The weight is the best one when both parts have the same share of verdicts FAIL.
        const graded = { tp, fn, fp, tn }
        const sample = { graded, judgedFails: (tp + fp) * 5, judged: (tp + fn + fp + tn) * 5 }
        const best = ppiPlusPlus(sample)!
        expect(best.standardError).toBeLessThanOrEqual(ppiPlusPlus(sample, { lambda })!.standardError + 1e-12)
        expect(best.standardError).toBeLessThanOrEqual(ppiPlusPlus(sample, { lambda: 0 })!.standardError + 1e-12)
        expect(best.interval.low).toBeGreaterThanOrEqual(0)
        expect(best.interval.high).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('is null without grades or verdicts and refuses impossible arguments', () => {
    expect(ppiPlusPlus({ ...GOOD, graded: { tp: 0, fn: 0, fp: 0, tn: 0 } })).toBeNull()
    expect(ppiPlusPlus({ ...GOOD, judgedFails: 0, judged: 0 })).toBeNull()
    expect(() => ppiPlusPlus({ ...GOOD, judgedFails: 2001 })).toThrow('judgedFails')
    expect(() => ppiPlusPlus({ ...GOOD, graded: { tp: -1, fn: 0, fp: 0, tn: 0 } })).toThrow('tp')
    expect(() => ppiPlusPlus(GOOD, { lambda: 2 })).toThrow('lambda')
  })
})
