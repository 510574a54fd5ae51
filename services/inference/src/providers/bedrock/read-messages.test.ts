import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { eventBytes, exceptionBytes, messageBytes, wholeAnswer } from './event-messages.fixture.ts'
import { createMessageReader } from './read-messages.ts'

function readAll(chunks: readonly Buffer[]): string[] {
  const reader = createMessageReader()
  const read: string[] = []
  for (const chunk of chunks) {
    for (const { type, name, payload } of reader.push(chunk)) read.push(`${type} ${name} ${payload}`)
  }
  return read
}

/** A valid prelude of a message with this many bytes. */
function preludeOf(length: number): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(length, 0)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  return prelude
}

describe('createMessageReader', () => {
  it('names events, exceptions and errors by their own headers', () => {
    const error = messageBytes({ ':message-type': 'error', ':error-code': 'InternalError' }, {})
    expect(
      readAll([eventBytes('messageStop', { a: 1 }), exceptionBytes('throttlingException', 'slow'), error]),
    ).toEqual([
      'event messageStop {"a":1}',
      'exception throttlingException {"message":"slow"}',
      'error InternalError {}',
    ])
  })

  it('reads the same wherever the bytes are cut', () => {
    const bytes = Buffer.concat(wholeAnswer)
    const whole = readAll([bytes])
    expect(whole).toHaveLength(wholeAnswer.length)
    expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
        expect(readAll(chunks)).toEqual(whole)
      }),
    )
  })

  it('returns the messages before a damaged one, and then throws', () => {
    const damaged = Buffer.from(eventBytes('messageStop', { stopReason: 'end_turn' }))
    damaged.writeUInt8(damaged.readUInt8(40) ^ 1, 40)
    const read: string[] = []
    expect(() => {
      for (const { name } of createMessageReader().push(Buffer.concat([...wholeAnswer, damaged]))) read.push(name)
    }).toThrow()
    expect(read).toHaveLength(wholeAnswer.length)
  })

  it.each([
    ['more than a megabyte', preludeOf(1024 * 1024 + 1)],
    ['less than its own frame', preludeOf(15)],
    ['a prelude whose checksum is wrong', Buffer.from([0, 0, 0, 32, 0, 0, 0, 0, 1, 2, 3, 4])],
    ['text', Buffer.from('<html>502 Bad Gateway</html>')],
  ])('throws at the prelude, before the rest has arrived: %s', (_name, bytes) => {
    expect(() => [...createMessageReader().push(bytes)]).toThrow()
  })
})
