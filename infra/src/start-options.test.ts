import { parseStartOptions } from './start-options.ts'

it('reads its flags', () => {
  expect(parseStartOptions([])).toEqual({ detach: false, reset: false, telemetry: false })
  expect(parseStartOptions(['--detach', '--reset', '--telemetry', '--port', '9000'])).toEqual({
    detach: true,
    reset: true,
    telemetry: true,
    port: 9000,
  })
})

it.each([['--port', '0'], ['--port', '65536'], ['--port', '80a'], ['--port', ''], ['--prot', '80'], ['extra']])(
  'refuses %s %s with the usage',
  (...args) => {
    expect(() => parseStartOptions(args)).toThrow(/npm start -- \[--detach\]/)
  },
)
