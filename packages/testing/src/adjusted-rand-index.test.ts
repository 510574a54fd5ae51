import { adjustedRandIndex } from './adjusted-rand-index.ts'

describe('adjustedRandIndex', () => {
  // From the documentation of scikit-learn's adjusted_rand_score, or computed by hand from Hubert & Arabie's formula.
  it.each([
    { truth: [0, 0, 1, 1], found: [0, 0, 1, 1], expected: 1 },
    { truth: [0, 0, 1, 1], found: [1, 1, 0, 0], expected: 1 },
    { truth: [0, 0, 1, 2], found: [0, 0, 1, 1], expected: 4 / 7 },
    { truth: [0, 0, 1, 1], found: [0, 0, 1, 2], expected: 4 / 7 },
    { truth: [0, 0, 0, 0], found: [0, 1, 2, 3], expected: 0 },
    { truth: [0, 0, 1, 1], found: [0, 1, 0, 1], expected: -0.5 },
    { truth: [1, 1, 1, 2, 2, 2], found: [1, 1, 2, 2, 3, 3], expected: 8 / 33 },
  ])('is $expected for $truth against $found', ({ truth, found, expected }) => {
    expect(adjustedRandIndex(truth, found)).toBeCloseTo(expected, 12)
  })

  it('is 1 when both groupings are trivial in the same way', () => {
    expect(adjustedRandIndex(['a'], [1])).toBe(1)
    expect(adjustedRandIndex(['a', 'a'], [1, 1])).toBe(1)
    expect(adjustedRandIndex(['a', 'b'], [1, 2])).toBe(1)
  })

  it('is symmetric', () => {
    const one = [0, 1, 1, 2, 2, 2, 0, 3]
    const other = ['x', 'x', 'y', 'y', 'y', 'z', 'x', 'z']
    expect(adjustedRandIndex(one, other)).toBeCloseTo(adjustedRandIndex(other, one), 12)
  })

  it('refuses groupings of different or no items', () => {
    expect(() => adjustedRandIndex([1], [1, 2])).toThrow(RangeError)
    expect(() => adjustedRandIndex([], [])).toThrow('no items')
  })
})
