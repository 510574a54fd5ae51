import fc from 'fast-check'
import { chargeLate, chargeOpen } from './charge.ts'

const nano = fc.bigInt({ min: 0n, max: 2n ** 60n })

describe('chargeOpen', () => {
  it.each([
    [0n, 100n, 0n, 0n],
    [60n, 100n, 60n, 0n],
    [100n, 100n, 100n, 0n],
    [130n, 100n, 100n, 30n],
    [5n, 0n, 0n, 5n],
  ])(
    'cost %d on a hold of %d is charged %d, and %d is written off',
    (costNano, holdNano, chargedNano, writeOffNano) => {
      expect(chargeOpen({ costNano, holdNano })).toEqual({ chargedNano, writeOffNano })
    },
  )
})

describe('chargeLate', () => {
  it('never charges more than the cost, the hold, or what was paid and is free', () => {
    fc.assert(
      fc.property(nano, nano, nano, nano, (costNano, holdNano, paidNano, availableNano) => {
        const { chargedNano, writeOffNano } = chargeLate({ costNano, holdNano, paidNano, availableNano })
        expect(chargedNano + writeOffNano).toBe(costNano)
        const limits = [costNano, holdNano, paidNano + availableNano]
        expect(limits.every((limit) => chargedNano <= limit)).toBe(true)
        expect(limits.includes(chargedNano)).toBe(true)
      }),
    )
  })
})
