import { correctedRateDrop } from './corrected-rate-drop.ts'
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

describe('correctedRateDrop', () => {
  it('compares two estimates by their own errors', () => {
    const live = { rate: 0.84, standardError: 0.015 }
    const validated = { rate: 0.92, standardError: 0.02 }
    const drop = correctedRateDrop({ live, validated })
    expect(drop).toMatchObject({ drop: expect.closeTo(0.08, 12), z: expect.closeTo(-3.2, 12), flagged: true })
    expect(drop.p).toBeCloseTo(0.000687138, 9)
    expect(correctedRateDrop({ live, validated }, { minDrop: 0.1 }).flagged).toBe(false)
    expect(correctedRateDrop({ live: validated, validated: live }).flagged).toBe(false)
  })

  it('holds for estimates without error', () => {
    const exact = (rate: number) => ({ rate, standardError: 0 })
    expect(correctedRateDrop({ live: exact(0.8), validated: exact(0.9) })).toMatchObject({ p: 0, flagged: true })
    expect(correctedRateDrop({ live: exact(0.9), validated: exact(0.8) })).toMatchObject({ p: 1, flagged: false })
    expect(correctedRateDrop({ live: exact(0.9), validated: exact(0.9) })).toMatchObject({ z: 0, p: 0.5 })
  })

  it('refuses impossible arguments', () => {
    const good = { rate: 0.9, standardError: 0.01 }
    const bad = { rate: 0.9, standardError: -1 }
    expect(() => correctedRateDrop({ live: bad, validated: good })).toThrow('live.standardError')
    expect(() => correctedRateDrop({ live: good, validated: bad })).toThrow('validated.standardError')
    expect(() => correctedRateDrop({ live: { ...good, rate: Number.NaN }, validated: good })).toThrow('live.rate')
  })
})
