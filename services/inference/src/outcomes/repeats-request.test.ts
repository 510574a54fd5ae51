import { fastestCpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { repeatsRequest } from './repeats-request.ts'

it('finds a part of a request wherever it is, also with characters that JSON escapes', () => {
  const text = fc.string({ minLength: 40, maxLength: 80, unit: 'binary' })
  const around = fc.string({ maxLength: 300, unit: 'binary' })
  fc.assert(
    fc.property(text, around, around, (part, before, after) => {
      const request = Buffer.from(JSON.stringify({ content: before + part + after }))
      expect(repeatsRequest(part, request)).toBe(true)
    }),
  )
})

it('finds nothing in a request that shares no part of 24 bytes', () => {
  const letters = (first: string, last: string) =>
    fc.string({
      unit: fc.integer({ min: first.charCodeAt(0), max: last.charCodeAt(0) }).map(String.fromCharCode),
      maxLength: 2_000,
    })
  fc.assert(
    fc.property(letters('a', 'm'), letters('n', 'z'), (text, request) => {
      expect(repeatsRequest(text, Buffer.from(request))).toBe(false)
    }),
  )
  expect(repeatsRequest('The model is overloaded.', Buffer.from('The model is overloaded!'))).toBe(false)
  expect(repeatsRequest('short', Buffer.from('short'))).toBe(false)
})

it.each([
  ['almost matches everywhere', `${'a'.repeat(11)}b${'a'.repeat(12)}`.repeat(41), 'a'],
  ['matches but for its last character', 'a'.repeat(1_000), `${'a'.repeat(23)}b`],
  ['has many lines', 'line\n'.repeat(200), 'line '],
])('takes one pass for a message that %s', (_name, message, unit) => {
  const request = Buffer.from(unit.repeat(Math.ceil(262_144 / unit.length)).slice(0, 262_144))
  const spent = fastestCpuMs(5, () => expect(repeatsRequest(message, request)).toBe(false))
  expect(spent).toBeLessThan(10)
})
