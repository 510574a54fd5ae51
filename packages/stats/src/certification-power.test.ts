import { certificationPower } from './certification-power.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'

describe('certificationPower', () => {
  it('agrees with SciPy', () => {
    for (const { rate, trials, power } of referenceNumbers.power) {
      expect(certificationPower(rate, trials)).toBeCloseTo(power, 11)
    }
  })

  it.each([
    [0.97, 100, 0.82],
    [0.97, 200, 0.98],
    [0.95, 300, 0.88],
    [0.99, 60, 0.88],
  ])('of a judge at %d with %i grades is %d', (rate, trials, power) => {
    expect(certificationPower(rate, trials)).toBeCloseTo(power, 2)
  })

  it('stays near 2.5 % at the bar itself, where the Wilson bound is not exact', () => {
    expect(certificationPower(0.9, 35)).toBeCloseTo(0.02503, 5)
    expect(certificationPower(0.9, 53)).toBeCloseTo(0.02588, 5)
  })

  it('is smaller with an e-value, which takes 51 grades without any error', () => {
    expect(certificationPower(1, 50, 40)).toBe(0)
    expect(certificationPower(1, 51, 40)).toBe(1)
    expect(certificationPower(1, 51, 80)).toBe(0)
    expect(certificationPower(0.97, 100, 40)).toBeGreaterThan(0)
    expect(certificationPower(0.97, 100, 40)).toBeLessThan(certificationPower(0.97, 100))
    expect(certificationPower(0.9, 400, 40)).toBeLessThan(0.025)
  })

  it('is 0 where no outcome proves the bar', () => {
    expect(certificationPower(1, 34)).toBe(0)
    expect(certificationPower(1, 0)).toBe(0)
    expect(certificationPower(1, 35)).toBe(1)
  })

  it('refuses impossible arguments', () => {
    expect(() => certificationPower(1.1, 10)).toThrow('trueRate')
    expect(() => certificationPower(0.9, 1.5)).toThrow('trials')
  })
})
