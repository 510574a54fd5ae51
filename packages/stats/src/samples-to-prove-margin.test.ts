import { asymptoticDifference } from './asymptotic-difference.ts'
import { samplesToProveMargin } from './samples-to-prove-margin.ts'

describe('samplesToProveMargin', () => {
  it('is 730 per arm for two arms at 0.90 and a margin of 0.05, or 4830 in total for a split of 10 %', () => {
    const plan = { passRate: 0.9, margin: 0.05 }
    expect(Math.abs(samplesToProveMargin({ ...plan, share1: 0.5 }) / 2 - 730)).toBeLessThan(10)
    expect(Math.abs(samplesToProveMargin({ ...plan, share1: 0.1 }) - 4830)).toBeLessThan(10)
  })

  it('is enough, and 10 % fewer are not', () => {
    const samples = samplesToProveMargin({ passRate: 0.8, margin: 0.06, share1: 0.5 })
    const lowAt = (perArm: number) => {
      const passes = Math.round(perArm * 0.8)
      return asymptoticDifference({ successes1: passes, trials1: perArm, successes2: passes, trials2: perArm })
        ?.interval.low
    }
    expect(lowAt(Math.ceil(samples / 20) * 10)).toBeGreaterThan(-0.06)
    expect(lowAt(Math.floor((samples * 0.9) / 20) * 10)).toBeLessThan(-0.06)
  })

  it('refuses impossible arguments', () => {
    expect(() => samplesToProveMargin({ passRate: 1, margin: 0.1, share1: 0.5 })).toThrow('passRate')
    expect(() => samplesToProveMargin({ passRate: 0.9, margin: 0, share1: 0.5 })).toThrow('margin')
    expect(() => samplesToProveMargin({ passRate: 0.9, margin: 0.1, share1: 1 })).toThrow('share1')
  })
})
