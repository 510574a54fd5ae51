import { fixedClock } from './fixed-clock.ts'

it('stands still until it is moved', () => {
  const clock = fixedClock('2026-01-01T00:00:00.000Z')
  const { now } = clock

  expect(now().toISOString()).toBe('2026-01-01T00:00:00.000Z')
  clock.advance(1_500)
  expect(now().toISOString()).toBe('2026-01-01T00:00:01.500Z')
  clock.set('2027-06-01T00:00:00.000Z')
  expect(now().toISOString()).toBe('2027-06-01T00:00:00.000Z')
})

it('returns dates that a caller may change without changing the clock', () => {
  const { now } = fixedClock('2026-01-01T00:00:00.000Z')

  now().setUTCFullYear(1999)

  expect(now().getUTCFullYear()).toBe(2026)
})

it('refuses a time that cannot be parsed', () => {
  expect(() => fixedClock('soon')).toThrow(new RangeError('not a time: soon'))
})
