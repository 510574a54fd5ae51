import fc from 'fast-check'
import { costSavings } from './cost-savings.ts'

const cost = fc.integer({ min: 1, max: 1_000_000 })
const pairs = fc.array(fc.record({ baseline: cost, candidate: cost }), { minLength: 2 })

describe('costSavings', () => {
  it('is as tabled: a ratio of sums, not a mean of ratios', () => {
    const candidate = [0.008, 0.01, 0.03, 0.02]
    const four = [0.01, 0.02, 0.03, 0.04].map((baseline, index) => ({ baseline, candidate: candidate[index]! }))
    expect(costSavings(four)).toEqual({ savings: expect.closeTo(0.32, 12), standardError: expect.closeTo(0.145327, 6) })
  })

  it('is at most 1, the same in every currency, and without error when all prompts save the same share', () => {
    fc.assert(
      fc.property(pairs, fc.integer({ min: 2, max: 9 }), (all, factor) => {
        const { savings, standardError } = costSavings(all)!
        expect(savings).toBeLessThanOrEqual(1)
        const scaled = costSavings(all.map(({ baseline, candidate }) => scale({ baseline, candidate }, factor)))!
        expect(scaled.savings).toBeCloseTo(savings, 9)
        expect(scaled.standardError).toBeCloseTo(standardError, 9)
        const half = costSavings(all.map(({ baseline }) => ({ baseline, candidate: baseline / 2 })))
        expect(half).toEqual({ savings: 0.5, standardError: 0 })
      }),
    )
  })

  it('is null for a baseline without cost and refuses a negative cost', () => {
    expect(costSavings([])).toBeNull()
    expect(costSavings([{ baseline: 0, candidate: 1 }])).toBeNull()
    expect(() => costSavings([{ baseline: 1, candidate: -1 }])).toThrow('pairs[0].candidate')
  })
})

function scale({ baseline, candidate }: { baseline: number; candidate: number }, factor: number) {
  return { baseline: baseline * factor, candidate: candidate * factor }
}
