import { reuseCriticalValue } from './reuse-critical-value.ts'
import { normalQuantile } from './special/normal-quantile.ts'

it.each([0.025, 0.0125, 0.001])('is the normal quantile for fresh prompts at %d', (level) => {
  expect(reuseCriticalValue(level, 0)).toBeCloseTo(normalQuantile(1 - level), 8)
})

// Tabled 95 % and 99 % points of chi-square: 5.991465 for 2, 11.070498 for 5, 18.307038 for 10, 15.086272 (99 %) for 5.
it.each([
  [0.025, 1, 5.991465],
  [0.025, 4, 11.070498],
  [0.025, 9, 18.307038],
  [0.005, 4, 15.086272],
])('is the root of the chi-square quantile: level %d, %d uses', (level, uses, quantile) => {
  expect(reuseCriticalValue(level, uses) ** 2).toBeCloseTo(quantile, 5)
})

it('grows with every use, also with a part of one', () => {
  const values = [0, 0.1, 0.5, 1, 5, 50].map((uses) => reuseCriticalValue(0.025, uses))
  expect(values).toEqual(values.toSorted((one, other) => one - other))
  expect(new Set(values).size).toBe(values.length)
})

it('refuses impossible arguments', () => {
  expect(() => reuseCriticalValue(0.5, 0)).toThrow('level')
  expect(() => reuseCriticalValue(0, 0)).toThrow('level')
  expect(() => reuseCriticalValue(0.01, -1)).toThrow('uses')
})
