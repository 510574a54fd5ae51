import { readIfMatch, requireVersion } from './if-match.ts'

const saying = (value: string | undefined) => ({ get: () => value }) as never

it.each([
  [undefined, null],
  ['*', null],
  ['3', 3],
  [' 3 ', 3],
  ['"12"', 12],
])('reads %j as version %s', (value, version) => {
  expect(readIfMatch(saying(value))).toBe(version)
})

it.each(['', 'W/"3"', '"3', '3"', '-1', '1.5', 'three', '"1", "2"', '9999999999'])('refuses %j', (value) => {
  expect(() => readIfMatch(saying(value))).toThrow(
    expect.objectContaining({ code: 'invalid_request', param: 'If-Match' }),
  )
})

it('takes the version that is named, and whichever there is when none is', () => {
  requireVersion(3, 3)
  requireVersion(3, null)
  requireVersion(null, null)
  expect(() => requireVersion(4, 3)).toThrow(
    expect.objectContaining({ code: 'version_conflict', details: { version: 4 } }),
  )
  expect(() => requireVersion(null, 3)).toThrow(expect.objectContaining({ code: 'version_conflict' }))
})
