import { segmentEffects } from './segment-effects.ts'

const segment = (mean: number, n: number, variance = 0.5) => ({ mean, n, variance })

describe('segmentEffects', () => {
  it('is null with fewer than two segments', () => {
    expect(segmentEffects([])).toBeNull()
    expect(segmentEffects([segment(0, 10)])).toBeNull()
  })

  it('for two large segments agrees with the z test of their difference', () => {
    // (0.1 − 0) / √(0.5/10⁶ · 2) = 100 → p = 0; 0.00196 → z = 1.96
    const { heterogeneityP } = segmentEffects([segment(0, 1e6), segment(0.00196, 1e6)])!
    expect(heterogeneityP).toBeCloseTo(0.05, 3)
    expect(segmentEffects([segment(0, 1e6), segment(0.1, 1e6)])!.heterogeneityP).toBeLessThan(1e-12)
  })

  it('for two small segments is Welch’s t test', () => {
    // Equal variances and sizes: t = 1.0 / √(2 · 1/10) = 2.236 with 18 degrees of freedom, p = 0.0382 (two-sided).
    const two = segmentEffects([segment(0, 10, 1), segment(1, 10, 1)])!
    expect(two.heterogeneityP).toBeCloseTo(0.0382, 3)
  })

  it('moves every mean to the common one when segments do not differ', () => {
    const { mean, spread, shrunken } = segmentEffects([segment(0.1, 20), segment(0.12, 20), segment(0.08, 20)])!
    expect(spread).toBe(0)
    expect(mean).toBeCloseTo(0.1, 12)
    for (const each of shrunken) expect(each.mean).toBeCloseTo(0.1, 12)
  })

  it('moves a small segment further than a large one when they differ', () => {
    const found = segmentEffects([segment(0.4, 400), segment(0.4, 400), segment(-0.4, 400), segment(-0.8, 10)])!
    const [, , large, small] = found.shrunken
    expect(found.spread).toBeGreaterThan(0.2)
    expect(large!.mean).toBeCloseTo(-0.4, 1)
    expect(small!.mean).toBeGreaterThan(-0.8)
    expect(small!.interval.high - small!.interval.low).toBeGreaterThan(large!.interval.high - large!.interval.low)
  })

  it('has an answer when no segment varies, and refuses impossible arguments', () => {
    expect(segmentEffects([segment(0, 10, 0), segment(0, 10, 0)])!.heterogeneityP).toBeCloseTo(1, 9)
    expect(() => segmentEffects([segment(0, 1), segment(0, 10)])).toThrow(RangeError)
    expect(() => segmentEffects([segment(0, 5, -1), segment(0, 10)])).toThrow(RangeError)
  })
})
