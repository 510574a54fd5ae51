import { asymptoticMargin } from './asymptotic-confidence-sequence.ts'
import { differenceVariance } from './difference-variance.ts'
import { samplesToProveMargin } from './samples-to-prove-margin.ts'

describe('samplesToProveMargin', () => {
  it('is 730 per arm for two arms at 0.90 and a margin of 0.05, or 4830 in total for a split of 10 %', () => {
    const plan = { passRate: 0.9, margin: 0.05 }
    expect(Math.abs(samplesToProveMargin({ ...plan, share1: 0.5 }) / 2 - 730)).toBeLessThan(10)
    expect(Math.abs(samplesToProveMargin({ ...plan, share1: 0.1 }) - 4830)).toBeLessThan(10)
  })

  it('is enough, and 10 % fewer are not', () => {
    const samples = samplesToProveMargin({ passRate: 0.8, margin: 0.06, share1: 0.5 })
    const variance = differenceVariance({ rate1: 0.8, rate2: 0.8, share1: 0.5 })
    expect(asymptoticMargin({ variance, n: samples })).toBeLessThan(0.06)
    expect(asymptoticMargin({ variance, n: 0.9 * samples })).toBeGreaterThan(0.06)
  })

  it('refuses impossible arguments', () => {
    expect(() => samplesToProveMargin({ passRate: 1, margin: 0.1, share1: 0.5 })).toThrow('passRate')
    expect(() => samplesToProveMargin({ passRate: 0.9, margin: 0, share1: 0.5 })).toThrow('margin')
    expect(() => samplesToProveMargin({ passRate: 0.9, margin: 0.1, share1: 1 })).toThrow('share1')
  })
})
