import { sideStateOf, trustBar } from './trust-state.ts'

it('is the bar of the statistics', () => {
  expect(trustBar).toBe(0.9)
})

it.each([
  [null, null, 'none'],
  [[0.91, 0.99], null, 'proven'],
  [[0.7, 0.85], null, 'wrong'],
  [[0.88, 0.99], 12, 'open'],
  [[0.88, 0.92], null, 'borderline'],
] as const)('an interval %j with %s grades needed is %s', (interval, needed, state) => {
  expect(sideStateOf(interval, needed)).toBe(state)
})
