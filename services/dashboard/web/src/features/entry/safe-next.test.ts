import { safeNext } from './safe-next.ts'

it.each([
  ['/w/demo/logs?tag=a#x', '/w/demo/logs?tag=a#x'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after the sign-in %s leads to %s', (next, path) => {
  expect(safeNext(next)).toBe(path)
})
