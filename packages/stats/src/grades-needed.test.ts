import fc from 'fast-check'
import { statVectors } from './fixtures/stat-vectors.ts'
import { gradesNeeded } from './grades-needed.ts'
import { wilsonInterval } from './wilson-interval.ts'

describe('gradesNeeded', () => {
  it.each(statVectors.grades_needed)('is exact to 1e-9 for $k of $n', ({ k, n, bar, n_required, extra }) => {
    const needed = gradesNeeded(k, n, { bar })
    expect(needed.extra).toBe(extra)
    if (n_required === null) expect(needed.required).toBeNull()
    else expect(needed.required).toBeCloseTo(n_required, 9)
  })

  it.each([
    [19, 20, 138.293, 119],
    [49, 50, 54.021, 5],
    [28, 30, 311.158, 282],
    [46, 50, 864.328, 815],
    [6, 8, 15.366, 8],
  ])('is as tabled for %i of %i', (successes, trials, required, extra) => {
    const needed = gradesNeeded(successes, trials)
    expect(needed.required).toBeCloseTo(required, 3)
    expect(needed.extra).toBe(extra)
  })

  it('is the number at which a Wilson bound equals the bar', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.constantFrom(0.5, 0.8, 0.9, 0.95), (successes, bar) => {
        const { required } = gradesNeeded(successes, 200, { bar })
        if (required === null) return
        const { low, high } = wilsonInterval((successes / 200) * required, required)!
        expect(successes / 200 > bar ? low : high).toBeCloseTo(bar, 9)
      }),
    )
  })

  it('is never less than one', () => {
    expect(gradesNeeded(35, 35).extra).toBe(1)
    expect(gradesNeeded(1000, 1000).extra).toBe(1)
  })

  it('detects a rate that equals the bar, for any fraction', () => {
    for (let tens = 1; tens <= 500; tens += 1) expect(gradesNeeded(9 * tens, 10 * tens).extra).toBeNull()
  })

  it('refuses impossible arguments', () => {
    expect(() => gradesNeeded(0, 0)).toThrow('trials must be')
    expect(() => gradesNeeded(2, 1)).toThrow('successes')
    expect(() => gradesNeeded(1, 1, { bar: 1 })).toThrow('bar')
    expect(() => gradesNeeded(1, 1, { z: -1 })).toThrow('z must be')
  })
})
