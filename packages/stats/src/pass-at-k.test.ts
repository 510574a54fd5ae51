import fc from 'fast-check'
import { passAtK } from './pass-at-k.ts'

const counts = fc
  .tuple(fc.integer({ min: 1, max: 200 }), fc.nat(200), fc.nat(199))
  .map(([answers, passed, k]) => ({ answers, passed: Math.min(passed, answers), k: 1 + (k % answers) }))

describe('passAtK', () => {
  it('is as tabled', () => {
    expect(passAtK({ answers: 10, passed: 3, k: 5 })).toBeCloseTo(0.916667, 6)
  })

  it('is the share of passes for one answer, and certain when too few fail to fill k', () => {
    expect(passAtK({ answers: 8, passed: 3, k: 1 })).toBeCloseTo(3 / 8, 12)
    expect(passAtK({ answers: 8, passed: 3, k: 6 })).toBe(1)
    expect(passAtK({ answers: 8, passed: 0, k: 8 })).toBe(0)
  })

  it('is a probability and rises with k and with the passes', () => {
    fc.assert(
      fc.property(counts, ({ answers, passed, k }) => {
        const chance = passAtK({ answers, passed, k })
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThanOrEqual(1)
        if (k < answers) expect(passAtK({ answers, passed, k: k + 1 })).toBeGreaterThanOrEqual(chance)
        if (passed < answers) expect(passAtK({ answers, passed: passed + 1, k })).toBeGreaterThanOrEqual(chance)
      }),
    )
  })

  it('refuses impossible counts', () => {
    expect(() => passAtK({ answers: 2, passed: 3, k: 1 })).toThrow('passed')
    expect(() => passAtK({ answers: 2, passed: 1, k: 3 })).toThrow('k must be in 1..2')
    expect(() => passAtK({ answers: 2, passed: 1, k: 0 })).toThrow('k must be')
  })
})
