import fc from 'fast-check'
import { backoff } from './backoff.ts'

it.each([
  [0, 250],
  [1, 500],
  [4, 4_000],
  [6, 10_000],
  [2_000, 10_000],
])('doubles the delay with each failure up to the maximum: %d failures, %d ms', (failures, expected) => {
  expect(backoff(failures, { firstMs: 250, maxMs: 10_000 })).toBe(expected)
})

it('varies the delay by the share of jitter, and never exceeds it', () => {
  const delays = { firstMs: 100, maxMs: 60_000 }
  fc.assert(
    fc.property(
      fc.nat(40),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (failures, share, unit) => {
        const full = backoff(failures, delays)
        const delayMs = backoff(failures, { ...delays, jitter: { share, random: () => unit } })
        expect(delayMs).toBeLessThanOrEqual(full)
        expect(delayMs).toBeGreaterThanOrEqual(full * (1 - share) - 1e-6)
      },
    ),
  )
})

it('takes any delay from zero to the whole one with full jitter', () => {
  const delayWith = (unit: number) => backoff(1, { firstMs: 100, maxMs: 400, jitter: { share: 1, random: () => unit } })
  expect([delayWith(0), delayWith(0.5), delayWith(0.999)].map(Math.round)).toEqual([0, 100, 200])
})
