import { sequenceRho } from './asymptotic-confidence-sequence.ts'
import { logEValueBelow, oneSidedMargin } from './difference-e-value.ts'

const options = { tightestAt: 400 }
const at = (difference: number) => logEValueBelow({ difference, standardError: 0.03, bound: -0.05 }, options)

/** The mixture by numerical integration over all smaller differences. */
function integrated(difference: number): number {
  const [information, rho] = [1 / 0.03 ** 2, sequenceRho(400)]
  const sum = information * (-0.05 - difference)
  const step = rho / 2_000
  let total = 0
  for (let drift = step / 2; drift < 12 * rho; drift += step) {
    const density = (2 / (rho * Math.sqrt(2 * Math.PI))) * Math.exp(-((drift / rho) ** 2) / 2)
    total += density * Math.exp(drift * sum - (drift ** 2 * information) / 2) * step
  }
  return total
}

it.each([-0.2, -0.1, -0.05, 0, 0.1])('is the mixture of likelihood ratios for a difference of %f', (difference) => {
  expect(Math.exp(at(difference))).toBeCloseTo(integrated(difference), 4)
})

it('has a mean of at most 1 when the difference is the bound, and less when it is above', () => {
  const meanFor = (truth: number) => {
    let total = 0
    for (let z = -25; z < 8; z += 0.01) {
      const chance = (Math.exp(-(z ** 2) / 2) / Math.sqrt(2 * Math.PI)) * 0.01
      total += chance * Math.exp(at(truth + z * 0.03))
    }
    return total
  }
  expect(meanFor(-0.05)).toBeCloseTo(1, 2)
  expect(meanFor(0)).toBeLessThan(0.6)
})

it.each([0.05, 0.002, 1e-9])('has an upper bound where the e-value is 1 / %f', (alpha) => {
  const margin = oneSidedMargin({ standardError: 0.03, alpha }, options)
  const bound = -0.05 - margin
  expect(at(bound)).toBeCloseTo(-Math.log(alpha), 6)
  expect(at(bound + 1e-6)).toBeLessThan(-Math.log(alpha))
})

it('refuses bounds without an error rate', () => {
  expect(() => oneSidedMargin({ standardError: 0.03, alpha: 0 }, options)).toThrow('alpha')
  expect(() => oneSidedMargin({ standardError: 0, alpha: 0.05 }, options)).toThrow('standardError')
})

it('stays finite for enormous evidence both ways, and grows with the drop', () => {
  const far = logEValueBelow({ difference: -1, standardError: 1e-4, bound: 0 }, options)
  const against = logEValueBelow({ difference: 1, standardError: 1e-4, bound: 0 }, options)
  expect(far).toBeGreaterThan(1e6)
  expect(against).toBeLessThan(0)
  expect(Number.isFinite(against)).toBe(true)
  expect(at(-0.3)).toBeGreaterThan(at(-0.2))
})

it('refuses impossible arguments', () => {
  expect(() => logEValueBelow({ difference: 0, standardError: 0, bound: 0 }, options)).toThrow('standardError')
  expect(() => logEValueBelow({ difference: Number.NaN, standardError: 1, bound: 0 }, options)).toThrow('difference')
})
