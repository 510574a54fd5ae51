import fc from 'fast-check'
import { CERTIFYING_E_VALUE, eValueAboveBar } from './e-value-above-bar.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { wilsonInterval } from './wilson-interval.ts'

type Rule = (successes: number, trials: number) => boolean

/** The exact probability that a rule ever certifies when it is applied after every grade, by the number of grades. */
function chanceByPeeking(rate: number, certifies: Rule): number[] {
  let open = [1]
  let certified = 0
  let enough = 0
  const chances = [0]
  for (let trials = 1; trials <= 400; trials += 1) {
    while (enough <= trials && !certifies(enough, trials)) enough += 1
    const next = Array.from({ length: trials + 1 }, (_, successes) => {
      return (open[successes - 1] ?? 0) * rate + (open[successes] ?? 0) * (1 - rate)
    })
    certified += next.slice(enough).reduce((sum, chance) => sum + chance, 0)
    open = next.slice(0, enough)
    chances.push(certified)
  }
  return chances
}

describe('eValueAboveBar', () => {
  it.each(statVectors.e_value_above_bar)('is exact to 1e-9 for $k of $n', ({ k, n, bar, e }) => {
    expect(eValueAboveBar(k, n, bar)).toBeCloseTo(e, 9)
  })

  it.each([
    [50, 50, 37.869122],
    [74, 75, 42.541371],
    [95, 100, 2.765165],
  ])('is as tabled for %i of %i', (successes, trials, e) => {
    expect(eValueAboveBar(successes, trials)).toBeCloseTo(e, 6)
  })

  it('agrees with numerical integration at 40 digits', () => {
    for (const { k, n, logE } of referenceNumbers.eValue) {
      expect(Math.log(eValueAboveBar(k, n))).toBeCloseTo(logE, 10)
    }
  })

  it('is a martingale at the bar: the expected next value is the present one', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(60), fc.constantFrom(0.5, 0.8, 0.9, 0.95), (successes, failures, bar) => {
        const trials = successes + failures
        const now = eValueAboveBar(successes, trials, bar)
        const passed = eValueAboveBar(successes + 1, trials + 1, bar)
        const failed = eValueAboveBar(successes, trials + 1, bar)
        expect((bar * passed + (1 - bar) * failed) / now).toBeCloseTo(1, 9)
        expect(passed).toBeGreaterThan(failed)
      }),
    )
  })

  it('is 1 without evidence, and infinite where a double overflows', () => {
    expect(eValueAboveBar(0, 0)).toBeCloseTo(1, 12)
    expect(eValueAboveBar(10_000, 10_000)).toBe(Number.POSITIVE_INFINITY)
    expect(eValueAboveBar(0, 10_000)).toBeLessThan(0.001)
  })

  it('keeps the probability of a false certificate below 2.5 % under repeated checks; the Wilson bound does not', () => {
    const byWilson = (successes: number, trials: number) => wilsonInterval(successes, trials)!.low >= 0.9
    const byEValue = (successes: number, trials: number) => eValueAboveBar(successes, trials) >= CERTIFYING_E_VALUE
    const wilson = chanceByPeeking(0.9, byWilson)
    expect([50, 100, 200, 400].map((trials) => wilson[trials]?.toFixed(4))).toEqual([
      '0.0250',
      '0.0649',
      '0.0937',
      '0.1261',
    ])
    expect(chanceByPeeking(0.88, byWilson)[400]).toBeCloseTo(0.0316, 4)
    expect(chanceByPeeking(0.9, byEValue)[400]).toBeCloseTo(0.0151, 4)
    expect(chanceByPeeking(0.88, byEValue)[400]).toBeCloseTo(0.0027, 4)
    expect(chanceByPeeking(0.85, byEValue)[400]).toBeCloseTo(0.0003, 4)
  })

  it('refuses impossible arguments', () => {
    expect(() => eValueAboveBar(2, 1)).toThrow('successes')
    expect(() => eValueAboveBar(1, 1, 0)).toThrow('bar')
    expect(() => eValueAboveBar(0.5, 1)).toThrow('whole number')
  })
})
