import { readPrecondition, requirePrecondition } from './precondition.ts'

const requestWith = (headers: Readonly<Record<string, string>>) => ({ get: (name: string) => headers[name] }) as never
const refusal = (more: object) => expect.objectContaining({ code: 'invalid_request', ...more })

it.each([
  [{}, { kind: 'none' }],
  [{ 'If-Match': '*' }, { kind: 'present' }],
  [{ 'If-Match': 'W/"3"' }, { kind: 'version', version: 3 }],
  [{ 'If-Match': ' 3 ' }, { kind: 'version', version: 3 }],
  [{ 'If-Match': '"12"' }, { kind: 'version', version: 12 }],
  [{ 'If-None-Match': '*' }, { kind: 'absent' }],
])('reads %j', (headers, condition) => {
  expect(readPrecondition(requestWith(headers))).toEqual(condition)
})

it.each(['', '"3', '3"', '-1', '1.5', 'three', '"1", "2"', '9999999999'])('refuses If-Match: %j', (value) => {
  expect(() => readPrecondition(requestWith({ 'If-Match': value }))).toThrow(refusal({ param: 'If-Match' }))
})

it.each([{ 'If-None-Match': '"3"' }, { 'If-None-Match': '*', 'If-Match': '3' }])('refuses %j', (headers) => {
  expect(() => readPrecondition(requestWith(headers))).toThrow(refusal({ param: 'If-None-Match' }))
})

it('accepts a version that meets the condition, and any version without a condition', () => {
  requirePrecondition(3, { kind: 'version', version: 3 })
  requirePrecondition(3, { kind: 'none' })
  requirePrecondition(null, { kind: 'none' })
  requirePrecondition(null, { kind: 'absent' })
  requirePrecondition(3, { kind: 'present' })
})

it.each([
  [4, { kind: 'version', version: 3 }, 'If-Match'],
  [null, { kind: 'version', version: 3 }, 'If-Match'],
  [4, { kind: 'absent' }, 'If-None-Match'],
  [null, { kind: 'present' }, 'If-Match'],
] as const)('refuses version %j under the condition %j', (version, condition, param) => {
  const conflict = expect.objectContaining({ code: 'version_conflict', param, details: { version } })
  expect(() => requirePrecondition(version, condition)).toThrow(conflict)
})
