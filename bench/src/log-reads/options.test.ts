import { parseLogReadOptions } from './options.ts'

it('loads a million exchanges by default', () => {
  expect(parseLogReadOptions([])).toEqual({ exchanges: 1_000_000, rounds: 40, loaded: null })
  expect(parseLogReadOptions(['--exchanges', '5', '--database', 'postgres://x', '--key', 'k'])).toEqual({
    exchanges: 5,
    rounds: 40,
    loaded: { databaseUrl: 'postgres://x', apiKey: 'k' },
  })
})

it.each([[['--exchanges', '0']], [['--rounds', 'many']], [['--database', 'postgres://x']], [['--key', 'k']]])(
  'refuses %j',
  (args) => {
    expect(() => parseLogReadOptions(args)).toThrow()
  },
)
