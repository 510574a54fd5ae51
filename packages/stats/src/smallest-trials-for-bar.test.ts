import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { CERTIFYING_E_VALUE, eValueAboveBar } from './e-value-above-bar.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { smallestTrialsForBar } from './smallest-trials-for-bar.ts'

const bar = 0.9
const { wilson, clopper_pearson, e_value_40 } = statVectors.min_n_for_bar_by_errors

describe('smallestTrialsForBar', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('is as agreed with %i errors', (errors) => {
    expect(smallestTrialsForBar(errors)).toBe(wilson[errors])
  })

  it('rises with the errors', () => {
    expect(smallestTrialsForBar(100)).toBeGreaterThan(smallestTrialsForBar(99))
  })

  it('refuses impossible arguments', () => {
    expect(() => smallestTrialsForBar(-1)).toThrow('errors')
  })
})

describe('the other rules that prove the bar', () => {
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('take the agreed number of trials with %i errors', (errors) => {
    const exact = (trials: number) => clopperPearsonInterval(trials - errors, trials)!.low
    const eValue = (trials: number) => eValueAboveBar(trials - errors, trials)
    const [byInterval = 0, byEValue = 0] = [clopper_pearson[errors], e_value_40[errors]]
    expect(exact(byInterval)).toBeGreaterThanOrEqual(bar)
    expect(exact(byInterval - 1)).toBeLessThan(bar)
    expect(eValue(byEValue)).toBeGreaterThanOrEqual(CERTIFYING_E_VALUE)
    expect(eValue(byEValue - 1)).toBeLessThan(CERTIFYING_E_VALUE)
  })
})
