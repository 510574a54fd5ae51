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

it('takes a service to watch', () => {
  expect(parseStartOptions(['--watch', 'judging'])).toMatchObject({ watch: 'judging' })
})

it('refuses to watch an unknown service, and names the services', () => {
  expect(() => parseStartOptions(['--watch', 'judge'])).toThrow(/judging/)
})

it.each([
  ['--port', '0'],
  ['--port', '65536'],
  ['--port', '80a'],
  ['--port', ''],
  ['--prot', '80'],
  ['extra'],
  ['--watch'],
])('refuses %s %s and prints the usage', (...args) => {
  expect(() => parseStartOptions(args)).toThrow(/npm start -- \[--detach\]/)
})
