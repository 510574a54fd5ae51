import { statVectors } from './fixtures/stat-vectors.ts'
import { smallestTrialsForBar } from './smallest-trials-for-bar.ts'

const { wilson, clopper_pearson, e_value_40 } = statVectors.min_n_for_bar_by_errors

describe('smallestTrialsForBar', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('is as agreed with %i errors, by every rule', (errors) => {
    expect(smallestTrialsForBar(errors)).toBe(wilson[errors])
    expect(smallestTrialsForBar(errors, { rule: 'clopper-pearson' })).toBe(clopper_pearson[errors])
    expect(smallestTrialsForBar(errors, { rule: 'e-value' })).toBe(e_value_40[errors])
  })

  it('rises with the bar and with the errors', () => {
    expect(smallestTrialsForBar(0, { bar: 0.95 })).toBeGreaterThan(smallestTrialsForBar(0))
    expect(smallestTrialsForBar(100)).toBeGreaterThan(smallestTrialsForBar(99))
  })

  it('refuses impossible arguments', () => {
    expect(() => smallestTrialsForBar(-1)).toThrow('errors')
    expect(() => smallestTrialsForBar(0, { bar: 1 })).toThrow('bar')
  })
})
