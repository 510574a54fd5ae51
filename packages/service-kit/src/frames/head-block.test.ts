import fc from 'fast-check'
import { FrameError, maxHeadBytes } from './frame-format.ts'
import { decodeAnswerHead, decodeRequestHead, encodeHead } from './head-block.ts'

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
/** Latin-1 without line breaks, which HTTP does not allow either. */
const value = fc.stringMatching(/^[\x20-\x7e\xa1-\xff]{0,60}$/)

function encoded(lines: readonly string[]): Buffer {
  const head = encodeHead(lines)
  if (head === null) throw new Error('too large')
  return head
}

it('returns the headers of an answer as they were encoded, repeated ones as a list', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), fc.array(fc.tuple(name, value)), (status, headers) => {
      const head = decodeAnswerHead(encoded([String(status), ...headers.flat()]))
      expect(head.status).toBe(status)
      for (const each of new Set(headers.map(([key]) => key))) {
        const values = headers.filter(([key]) => key === each).map(([, text]) => text)
        expect(head.headers[each]).toEqual(values.length === 1 ? values[0] : values)
      }
    }),
  )
})

it("joins repeated headers of a request as Node's HTTP server does", () => {
  const lines = ['POST', '/v1/x?y=1', 'accept', 'a', 'accept', 'b', 'user-agent', 'first', 'user-agent', 'second']
  expect(decodeRequestHead(encoded(lines))).toEqual({
    method: 'POST',
    target: '/v1/x?y=1',
    headers: Object.assign(Object.create(null), { accept: 'a, b', 'user-agent': 'first' }),
  })
})

it('keeps names of object members apart from headers', () => {
  const { headers } = decodeRequestHead(encoded(['POST', '/', '__proto__', 'x']))
  expect(Object.keys(headers)).toEqual(['__proto__'])
  expect(headers.constructor).toBeUndefined()
})

it('encodes no head that is too large, and no line break', () => {
  expect(encodeHead(['GET', '/'.padEnd(maxHeadBytes - 4, 'x')])).toHaveLength(maxHeadBytes)
  expect(encodeHead(['GET', '/'.padEnd(maxHeadBytes - 3, 'x')])).toBeNull()
  expect(() => encodeHead(['GET', '/', 'a', 'b\nc'])).toThrow(FrameError)
})

it.each([
  ['no target', 'POST'],
  ['an empty target', 'POST\n'],
  ['a name without a value', 'POST\n/\naccept'],
  ['too many bytes', `POST\n/${'x'.repeat(maxHeadBytes)}`],
])('refuses a request with %s', (_name, text) => {
  expect(() => decodeRequestHead(Buffer.from(text))).toThrow(FrameError)
})

it.each(['', '99', '20x', '200\nname'])('refuses the answer %j', (text) => {
  expect(() => decodeAnswerHead(Buffer.from(text))).toThrow(FrameError)
})
