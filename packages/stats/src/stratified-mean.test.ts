import { stratifiedMean } from './stratified-mean.ts'

const repeat = (grade: number, times: number) => Array.from({ length: times }, () => grade)

describe('stratifiedMean', () => {
  it('weighs strata by their items, in whatever proportion they are graded', () => {
    // 100 items with mean 0.5 and 900 with mean −0.2.
    const rare = { count: 100, grades: [...repeat(1, 30), ...repeat(0, 10), ...repeat(-1, 10)].slice(0, 50) }
    const common = { count: 900, grades: [...repeat(1, 15), ...repeat(0, 10), ...repeat(-1, 25)] }
    expect(stratifiedMean([rare, common])!.mean).toBeCloseTo(0.1 * 0.4 + 0.9 * -0.2, 12)
  })

  it('approaches the error of a mean when everything is graded', () => {
    const grades = [...repeat(1, 500), ...repeat(-1, 500)]
    expect(stratifiedMean([{ count: 1000, grades }])!.standardError).toBeCloseTo(1 / Math.sqrt(1000), 3)
  })

  it('has a width when all grades agree, but none within a certain stratum', () => {
    expect(stratifiedMean([{ count: 100, grades: repeat(1, 10) }])!.standardError).toBeGreaterThan(0.1)
    expect(stratifiedMean([{ count: 100, grades: [-1], isCertain: true }])!.standardError).toBe(0)
  })

  it('is null without items, or when a stratum has no grade', () => {
    expect(stratifiedMean([])).toBeNull()
    expect(stratifiedMean([{ count: 5, grades: [] }])).toBeNull()
    expect(
      stratifiedMean([
        { count: 0, grades: [] },
        { count: 5, grades: [1] },
      ])!.mean,
    ).toBe(1)
    expect(() => stratifiedMean([{ count: 1, grades: [1, 1] }])).toThrow(RangeError)
  })
})
