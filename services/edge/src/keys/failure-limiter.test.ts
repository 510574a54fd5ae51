import { createFailureLimiter } from './failure-limiter.ts'

const limit = { failures: 3, windowMs: 10_000, maxAddresses: 2 }

it('allows a number of failures per address and window, then returns the time until the window ends', () => {
  const limiter = createFailureLimiter(limit)
  expect([0, 1, 2].map((i) => limiter.fail('a', i * 1_000))).toEqual([null, null, null])
  expect(limiter.isOver('a', 2_000)).toBe(true)
  expect(limiter.fail('a', 2_500)).toBe(8)
  expect(limiter.fail('b', 2_500)).toBeNull()
  expect(limiter.isOver('a', 10_000)).toBe(false)
  expect(limiter.fail('a', 10_000)).toBeNull()
})

it('counts for a limited number of addresses', () => {
  const limiter = createFailureLimiter(limit)
  for (let i = 0; i < 3; i++) limiter.fail('a', 0)
  limiter.fail('b', 0)
  limiter.fail('c', 0)
  expect(limiter.isOver('a', 0)).toBe(false)
})
