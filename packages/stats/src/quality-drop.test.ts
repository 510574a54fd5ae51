import { expectInterval } from './fixtures/expect-interval.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { qualityDrop } from './quality-drop.ts'

const SWEEP = { livePasses: 430, live: 500, validatedPasses: 92, validated: 100 }

describe('qualityDrop', () => {
  it('is as tabled: not flagged', () => {
    const drop = qualityDrop(SWEEP)
    expect(drop).toMatchObject({ z: expect.closeTo(-1.628656, 6), p: expect.closeTo(0.051693, 6), flagged: false })
    expectInterval(drop?.interval, [-0.111125, 0.015255], 6)
  })

  it('agrees with the pooled test of statsmodels', () => {
    for (const { k1, n1, k2, n2, z, p } of referenceNumbers.difference) {
      const drop = qualityDrop({ livePasses: k1, live: n1, validatedPasses: k2, validated: n2 })
      expect(drop?.z).toBeCloseTo(z, 10)
      expect(drop?.p).toBeCloseTo(p, 11)
    }
  })

  it('flags only a drop that is both significant and larger than 3 points', () => {
    expect(qualityDrop({ ...SWEEP, livePasses: 380 })?.flagged).toBe(true)
    const large = { livePasses: 88_000, live: 100_000, validatedPasses: 90_000, validated: 100_000 }
    expect(qualityDrop(large)?.p).toBeLessThan(1e-9)
    expect(qualityDrop(large)?.flagged).toBe(false)
    expect(qualityDrop(large, { minDrop: 0.01 })?.flagged).toBe(true)
    expect(qualityDrop(SWEEP, { alpha: 0.1 })?.flagged).toBe(true)
    expect(qualityDrop({ ...SWEEP, livePasses: 500 }, { alpha: 0.999 })?.flagged).toBe(false)
  })

  it('corrects the difference by the Youden index but not its significance', () => {
    const raw = qualityDrop(SWEEP)!
    const corrected = qualityDrop(SWEEP, { youden: 0.8 })!
    expect(corrected.difference).toBeCloseTo(raw.difference / 0.8, 12)
    expect(corrected.p).toBe(raw.p)
  })

  it('is null without verdicts on a side, and finds no drop when nothing varies', () => {
    expect(qualityDrop({ ...SWEEP, livePasses: 0, live: 0 })).toBeNull()
    expect(qualityDrop({ livePasses: 5, live: 5, validatedPasses: 9, validated: 9 })).toMatchObject({ z: 0, p: 0.5 })
    expect(() => qualityDrop({ ...SWEEP, livePasses: 501 })).toThrow('successes1')
    expect(() => qualityDrop(SWEEP, { youden: 0 })).toThrow('youden')
    expect(() => qualityDrop(SWEEP, { alpha: 1 })).toThrow('alpha')
    expect(() => qualityDrop(SWEEP, { minDrop: 2 })).toThrow('minDrop')
  })
})
