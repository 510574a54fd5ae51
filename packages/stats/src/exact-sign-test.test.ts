import fc from 'fast-check'
import { exactSignTest } from './exact-sign-test.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'

describe('exactSignTest', () => {
  it('is exact to 1e-9 for the agreed counts', () => {
    for (const { wins, losses, p } of statVectors.exact_sign_test) expect(exactSignTest(wins, losses)).toBeCloseTo(p, 9)
    for (const row of statVectors.win_rate) expect(exactSignTest(row.wins, row.losses)).toBeCloseTo(row.sign_test_p, 9)
  })

  it.each([
    [12, 3, 0.035156],
    [10, 0, 0.001953],
    [17, 7, 0.063915],
  ])('is as tabled for %i against %i', (wins, losses, p) => {
    expect(exactSignTest(wins, losses)).toBeCloseTo(p, 6)
  })

  it('agrees with SciPy', () => {
    for (const { wins, losses, p } of referenceNumbers.signTest) expect(exactSignTest(wins, losses)).toBeCloseTo(p, 11)
  })

  it('is a probability, the same for either side, and falls when one side has more wins', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (wins, losses) => {
        const p = exactSignTest(wins, losses)
        expect(p).toBeGreaterThan(0)
        expect(p).toBeLessThanOrEqual(1)
        expect(exactSignTest(losses, wins)).toBe(p)
        if (wins >= losses) expect(exactSignTest(wins + 1, losses)).toBeLessThanOrEqual(p)
      }),
    )
  })

  it('is 1 without wins and losses and refuses impossible counts', () => {
    expect(exactSignTest(0, 0)).toBe(1)
    expect(() => exactSignTest(-1, 0)).toThrow('wins must be')
  })
})
