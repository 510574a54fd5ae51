import { serviceOfLine } from './back-office-spec.ts'

it.each([
  ['{"level":30,"time":1,"name":"judging-worker","pid":7,"msg":"ready"}', 'judging-worker'],
  ['Error: out of memory', 'back-office'],
])('finds the service of the line %s', (line, service) => {
  expect(serviceOfLine(line)).toBe(service)
})
