import fc from 'fast-check'
import { readyCostNano, windowHoldNano, windowMs, windowOf, windowStart } from './windows.ts'

it('costs whole micro-dollars, rounded up once', () => {
  expect(readyCostNano(0, 3_600_000_000n)).toBe(0n)
  expect(readyCostNano(1_000, 3_600_000_000n)).toBe(1_000_000n)
  expect(readyCostNano(1, 3_600_000_000n)).toBe(1_000n)
  expect(readyCostNano(1, 1n)).toBe(1_000n)
  expect(windowHoldNano(2_000_000_000n)).toBe(166_667_000n)
})

it('never costs more than was held', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 14n })
  fc.assert(
    fc.property(price, fc.integer({ min: 0, max: windowMs }), (nano, ms) => {
      expect(readyCostNano(ms, nano)).toBeLessThanOrEqual(windowHoldNano(nano))
    }),
  )
})

it('begins at multiples of five minutes', () => {
  const at = new Date('2026-12-01T12:07:31Z')
  expect(windowStart(windowOf(at))).toEqual(new Date('2026-12-01T12:05:00Z'))
})
