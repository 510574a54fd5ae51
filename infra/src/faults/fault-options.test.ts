import { parseFaultOptions } from './fault-options.ts'

it('runs all faults with a fixed seed by default', () => {
  expect(parseFaultOptions([])).toEqual({ seed: 1, only: [] })
  expect(parseFaultOptions(['--seed', '7', '--only', 'f1,F19'])).toEqual({ seed: 7, only: ['F1', 'F19'] })
})

it.each([
  [['--seed', 'x'], '--seed takes a whole number, not "x"'],
  [['--only', 'redis'], '--only takes ids such as F19, not "REDIS"'],
  [['--all'], '--all'],
])('refuses %j', (args, message) => {
  expect(() => parseFaultOptions(args)).toThrow(message)
})
