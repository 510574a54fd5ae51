import fc from 'fast-check'
import { clopperPearsonInterval } from './clopper-pearson-interval.ts'
import { expectInterval } from './fixtures/expect-interval.ts'
import { referenceNumbers } from './fixtures/reference-numbers.ts'
import { statVectors } from './fixtures/stat-vectors.ts'
import { binomialTail } from './special/binomial-tail.ts'

describe('clopperPearsonInterval', () => {
  it.each(statVectors.clopper_pearson)('is exact to 1e-9 for $k of $n', ({ k, n, ci }) => {
    expectInterval(clopperPearsonInterval(k, n), ci)
  })

  it.each([
    [0, 10, 0, 0.308497],
    [9, 10, 0.554984, 0.997471],
    [19, 20, 0.751267, 0.998735],
    [34, 34, 0.897182, 1],
    [35, 35, 0.899968, 1],
    [46, 50, 0.807657, 0.977772],
    [49, 50, 0.89353, 0.999494],
    [97, 100, 0.914824, 0.99377],
    [190, 200, 0.909972, 0.975766],
    [920, 1000, 0.90142, 0.936058],
  ])('is as tabled for %i of %i', (successes, trials, low, high) => {
    expectInterval(clopperPearsonInterval(successes, trials), [low, high], 6)
  })

  it('agrees with statsmodels', () => {
    for (const { successes, trials, clopperPearson } of referenceNumbers.proportion) {
      expectInterval(clopperPearsonInterval(successes, trials), clopperPearson, 11)
    }
  })

  it('has exactly half of the error probability beyond each bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 199 }), fc.constantFrom(0.9, 0.95, 0.99), (successes, confidence) => {
        const { low, high } = clopperPearsonInterval(successes, 200, confidence)!
        const beyond = (1 - confidence) / 2
        expect(binomialTail(successes, { trials: 200, rate: low })).toBeCloseTo(beyond, 10)
        expect(binomialTail(200 - successes, { trials: 200, rate: 1 - high })).toBeCloseTo(beyond, 10)
      }),
    )
  })

  it('is null without trials and refuses impossible counts', () => {
    expect(clopperPearsonInterval(0, 0)).toBeNull()
    expect(() => clopperPearsonInterval(2, 1)).toThrow('successes')
    expect(() => clopperPearsonInterval(0.5, 1)).toThrow('successes must be a whole number')
    expect(() => clopperPearsonInterval(1, 1, 1)).toThrow('confidence')
  })
})
