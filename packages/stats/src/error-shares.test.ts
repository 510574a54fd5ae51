import { errorShares } from './error-shares.ts'

const sharesOf = (isRejected: readonly boolean[]) =>
  errorShares(isRejected.map((each, index) => ({ place: index + 1, isRejected: each })))
const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0)
const watched = new Array<boolean>(1_000).fill(false)

it('gives later hypotheses less, and never more than all together', () => {
  const shares = sharesOf(watched)
  expect(shares.slice(0, 3)).toEqual([1 / 2, 1 / 6, 1 / 12])
  expect(sum(shares)).toBeCloseTo(1 - 1 / 1_001, 12)
})

it('does not change the shares of earlier hypotheses when one appears', () => {
  expect(sharesOf([false, false, false]).slice(0, 2)).toEqual(sharesOf([false, false]))
})

it('passes the shares of rejected hypotheses to the others, also to those that appear later', () => {
  const shares = sharesOf([true, false, false])
  expect(shares[0]).toBe(1 / 2)
  expect(shares[1]).toBeCloseTo(1 / 3, 12)
  expect(shares[2]).toBeCloseTo(1 / 6, 12)
  expect(sum(sharesOf([true, false, true, ...watched])) - 1 / 2 - 1 / 12).toBeLessThanOrEqual(1)
})

it('counts hypotheses that are not compared', () => {
  expect(errorShares([{ place: 3, isRejected: false }])).toEqual([1 / 12])
  expect(errorShares([])).toEqual([])
})

it.each([0, 1.5, Number.NaN])('refuses the place %f', (place) => {
  expect(() => errorShares([{ place, isRejected: false }])).toThrow(RangeError)
})
