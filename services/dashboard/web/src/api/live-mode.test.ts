import { liveModeOf, reconnectMs } from './live-mode.ts'

it.each([
  [null, 0, true, 'polling'],
  [0, 30_000, true, 'live'],
  [0, 35_001, true, 'polling'],
  [0, 1, false, 'offline'],
] as const)('heard at %s, now %s, online %s: %s', (heard, nowMs, isOnline, mode) => {
  expect(liveModeOf(heard, nowMs, isOnline)).toBe(mode)
})

it('waits longer after each failure, and never longer than half a minute', () => {
  expect([0, 1, 4, 5, 60].map(reconnectMs)).toEqual([1_000, 2_000, 16_000, 30_000, 30_000])
})
