import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { sampleRatioTest } from './sample-ratio-test.ts'

function tenPercent(canary: number, target: number) {
  return sampleRatioTest([
    { count: canary, share: 0.1 },
    { count: target, share: 0.9 },
  ])
}

describe('sampleRatioTest', () => {
  it('is as tabled', () => {
    expect(tenPercent(1000, 9300)).toEqual({ statistic: expect.closeTo(0.9709, 4), p: expect.closeTo(0.324, 3) })
    const mismatch = tenPercent(900, 9400)!
    expect(mismatch.statistic).toBeCloseTo(18.23, 2)
    expect(mismatch.p).toBeCloseTo(1.96e-5, 7)
  })

  it('agrees with SciPy, for any number of arms', () => {
    for (const { counts, shares, statistic, p } of referenceNumbers.sampleRatio) {
      const result = sampleRatioTest(counts.map((count, index) => ({ count, share: shares[index]! })))
      expect(result?.statistic).toBeCloseTo(statistic, 9)
      expect(result?.p).toBeCloseTo(p, 12)
    }
  })

  it('is 1 for the exact ratio and null without requests', () => {
    expect(tenPercent(10, 90)).toEqual({ statistic: 0, p: 1 })
    expect(tenPercent(0, 0)).toBeNull()
  })

  it('refuses a single arm and shares that do not add up', () => {
    expect(() => sampleRatioTest([{ count: 1, share: 1 }])).toThrow('at least two')
    const arm = { count: 1, share: 0.4 }
    expect(() => sampleRatioTest([arm, arm])).toThrow('add up to 1')
    expect(() => sampleRatioTest([arm, { count: -1, share: 0.6 }])).toThrow('arms[1].count')
    expect(() => sampleRatioTest([arm, { count: 1, share: 0 }])).toThrow('arms[1].share')
  })
})
