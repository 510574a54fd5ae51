import fc from 'fast-check'
import { groupAdvantages } from './group-advantages.ts'

const rewards = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 1, maxLength: 16 })

describe('groupAdvantages', () => {
  it.each([
    [
      [1, 0, 0, 1],
      [0.9998, -0.9998, -0.9998, 0.9998],
    ],
    [
      [1, 0, 0, 0],
      [1.731651, -0.577217, -0.577217, -0.577217],
    ],
    [
      [0.2, 0.4, 0.9, 0.5],
      [-1.176235, -0.392078, 1.568314, 0],
    ],
  ])('of %j are as tabled', (group, expected) => {
    groupAdvantages(group).forEach((advantage, index) => {
      expect(advantage).toBeCloseTo(expected[index]!, 6)
    })
  })

  it('are zero for equal rewards, and empty for none', () => {
    expect(groupAdvantages([1, 1, 1, 1])).toEqual([0, 0, 0, 0])
    expect(groupAdvantages([0.1, 0.1, 0.1])).toEqual([0, 0, 0])
    expect(groupAdvantages([])).toEqual([])
  })

  it('are only centred in the variant without scale', () => {
    expect(groupAdvantages([1, 0, 0, 1], { scale: 'none' })).toEqual([0.5, -0.5, -0.5, 0.5])
  })

  it('add up to zero and keep the order of the rewards', () => {
    fc.assert(
      fc.property(rewards, (group) => {
        const advantages = groupAdvantages(group)
        expect(advantages.reduce((sum, advantage) => sum + advantage, 0)).toBeCloseTo(0, 6)
        const best = group.indexOf(Math.max(...group))
        expect(advantages[best]).toBe(Math.max(...advantages))
      }),
    )
  })

  it('refuse a reward that is not finite', () => {
    expect(() => groupAdvantages([1, Number.NaN])).toThrow('rewards[1]')
    expect(() => groupAdvantages([1], { epsilon: 0 })).toThrow('epsilon')
  })
})
