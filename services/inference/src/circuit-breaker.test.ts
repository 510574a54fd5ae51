import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createCircuitBreaker } from './circuit-breaker.ts'

function setUp() {
  const clock = fixedClock()
  const seen: string[] = []
  const breaker = createCircuitBreaker({
    failures: 3,
    restMs: 1_000,
    now: clock.now,
    onOpen: () => seen.push('open'),
    onClose: () => seen.push('close'),
  })
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) breaker.failed(new Error('unavailable'))
  }
  return { breaker, clock, seen, fail }
}

it('ignores single failures, as long as something succeeds between them', () => {
  const { breaker, fail, seen } = setUp()
  for (let i = 0; i < 10; i++) {
    fail(2)
    breaker.succeeded()
  }

  expect(breaker.mayTry()).toBe(true)
  expect(seen).toEqual([])
})

it('opens after consecutive failures, then allows one attempt', () => {
  const { breaker, clock, fail, seen } = setUp()
  fail(3)
  expect(breaker.mayTry()).toBe(false)
  clock.advance(999)
  expect(breaker.mayTry()).toBe(false)
  clock.advance(1)
  expect([breaker.mayTry(), breaker.mayTry()]).toEqual([true, false])
  expect(seen).toEqual(['open'])
})

it('opens again when that attempt fails, and reports it once', () => {
  const { breaker, clock, fail, seen } = setUp()
  fail(3)
  clock.advance(1_000)
  breaker.mayTry()
  fail(1)
  expect(breaker.mayTry()).toBe(false)
  clock.advance(1_000)
  expect(breaker.mayTry()).toBe(true)
  expect(seen).toEqual(['open'])
})

it('closes when it succeeds', () => {
  const { breaker, clock, fail, seen } = setUp()
  fail(3)
  clock.advance(1_000)
  breaker.mayTry()
  breaker.succeeded()
  fail(2)
  expect([breaker.mayTry(), breaker.mayTry()]).toEqual([true, true])
  expect(seen).toEqual(['open', 'close'])
})

it('does not stay open forever when the clock is set back', () => {
  const { breaker, clock, fail } = setUp()
  fail(3)
  clock.advance(-3_600_000)
  expect(breaker.mayTry()).toBe(true)
})
