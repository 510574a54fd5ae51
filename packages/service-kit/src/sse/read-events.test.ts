import { meanCpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import type { SseEvent } from './read-event.ts'
import { createSseReader } from './read-events.ts'

const maxEventBytes = 1_048_576

describe('createSseReader', () => {
  it.each<[string, string, (string | null)[]]>([
    ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
    ['mixed line endings', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\rdata: d\n\r', ['a', 'b', 'c', 'd']],
    ['no space, one space, two spaces', 'data:a\n\ndata: a\n\ndata:  a\n\n', ['a', 'a', ' a']],
    ['several data lines', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['a data line without a colon', 'data\n\ndata:\n\n', ['', '']],
    ['comments and unknown fields', ': ping\n\nid: 7\nretry: 1\ndata: a\ndatum: x\n\n', [null, 'a']],
    ['blank lines between frames', '\n\r\n\ndata: a\n\n\n\n\ndata: b\n\n', ['a', 'b']],
    ['a byte order mark at the start', '\ufeffdata: a\n\n', ['a']],
    ['a byte order mark elsewhere', 'data: a\n\n\ufeffdata: b\n\n', ['a', null]],
    ['a frame without an end', 'data: a\n\ndata: [DONE]', ['a', '[DONE]']],
    ['a frame ended by one line ending', 'data: a\n\ndata: [DONE]\n', ['a', '[DONE]']],
    ['nothing', '', []],
  ])('reads %s', (_name, text, expected) => {
    const events = readAll([Buffer.from(text)])
    expect(events.map(({ data }) => data?.toString() ?? null)).toEqual(expected)
  })

  it('reads the event type, and none from an empty one', () => {
    const events = readAll([Buffer.from('event: error\ndata: a\n\nevent:\ndata: b\n\ndata: c\n\n')])
    expect(events.map(({ event }) => event)).toEqual(['error', null, null])
  })

  it('reads what the standard reads and passes every byte on, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(streamText(), fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
        const bytes = Buffer.from(text)
        const whole = readAll([bytes])
        expect(meaningOf(whole)).toEqual(standardReading(text))
        expect(Buffer.concat(whole.map(({ raw }) => raw))).toEqual(bytes)
        expect(readAll(cutAt(bytes, cuts))).toEqual(whole)
        expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole)
      }),
      { numRuns: 500 },
    )
  })

  it('never throws and loses no byte of any input, even when frames are too large', () => {
    const noise = fc.array(fc.oneof(fc.constantFrom(10, 13, 58, 32, 0xef, 0xbb, 0xbf), fc.nat(255)), { maxLength: 200 })
    fc.assert(
      fc.property(
        noise,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 20 }),
        (noisy, cuts, limit) => {
          const bytes = Buffer.from(noisy)
          const whole = readAll([bytes], limit)
          expect(Buffer.concat(whole.map(({ raw }) => raw))).toEqual(bytes)
          expect(piecesJoined(readAll(cutAt(bytes, cuts), limit))).toEqual(piecesJoined(whole))
          expect(whole.every(({ oversized, raw }) => oversized || raw.length <= limit)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('returns views of the chunk for complete frames', () => {
    const chunk = Buffer.from('data: a\n\ndata: b\n\n')
    const [first] = createSseReader({ maxEventBytes }).push(chunk)
    expect(first?.raw.buffer).toBe(chunk.buffer)
    expect(first?.data?.buffer).toBe(chunk.buffer)
  })

  it('returns a frame as soon as its blank line has arrived', () => {
    const reader = createSseReader({ maxEventBytes })
    expect(reader.push(Buffer.from('data: a\n'))).toEqual([])
    expect(reader.push(Buffer.from('\n'))).toHaveLength(1)
    expect(reader.push(Buffer.from('data: b\r\n\r'))).toEqual([])
    expect(reader.push(Buffer.from('\n'))).toHaveLength(1)
    expect(reader.end()).toBeNull()
  })

  it('reads the frames around one that is too large', () => {
    const large = `data: ${'x'.repeat(100)}\n\n`
    const stream = Buffer.from(`data: a\n\n${large}data: b\n\n`)
    const events = piecesJoined(readAll(cutAt(stream, [30, 70, 90]), 50))
    expect(events.map(({ raw, oversized }) => [raw, oversized])).toEqual([
      ['data: a\n\n', false],
      [large, true],
      ['data: b\n\n', false],
    ])
  })

  it('holds no more than the allowed bytes of a line that never ends', () => {
    const reader = createSseReader({ maxEventBytes })
    const chunk = Buffer.alloc(65_536, 'x')
    const sizes = Array.from({ length: 200 }, () => reader.push(chunk).reduce((sum, { raw }) => sum + raw.length, 0))
    const held = sizes.map(
      (_, index) => 65_536 * (index + 1) - sizes.slice(0, index + 1).reduce((sum, size) => sum + size, 0),
    )
    expect(Math.max(...held)).toBeLessThanOrEqual(maxEventBytes)
    expect(sizes.filter((size) => size > 0)).toHaveLength(200 - maxEventBytes / 65_536)
  })

  it.each<[string, (bytes: number) => Buffer[]]>([
    ['one long line byte by byte', (bytes) => Array.from({ length: bytes }, () => Buffer.from('x'))],
    ['many data lines', (bytes) => [Buffer.from(`${'data:\n'.repeat(bytes / 6)}\n`)]],
    ['many tiny frames', (bytes) => [Buffer.from(':\n\n'.repeat(bytes / 3))]],
    ['blank lines', (bytes) => [Buffer.from('\r\n'.repeat(bytes / 2))]],
  ])('takes time in proportion to the length of %s', (_name, chunksOf) => {
    const small = chunksOf(24 * 1024)
    const large = chunksOf(16 * 24 * 1024)
    const smallMs = meanCpuMs(() => readAll(small))
    expect(meanCpuMs(() => readAll(large))).toBeLessThan(4 * 16 * smallMs + 2) // quadratic would be 256 times
  })
})

function readAll(chunks: readonly Buffer[], limit = maxEventBytes): SseEvent[] {
  const reader = createSseReader({ maxEventBytes: limit })
  const events = chunks.flatMap((chunk) => reader.push(chunk))
  const last = reader.end()
  return last === null ? events : [...events, last]
}

/** Streams of lines with a meaning to a reader, with every line ending, cut off anywhere. */
function streamText(): fc.Arbitrary<string> {
  const value = fc.oneof(fc.constantFrom('', ' ', ': ', '[DONE]', '{"a":"é💡"}', '\ufeff'), fc.string({ maxLength: 8 }))
  const field = fc.constantFrom('data', 'data:', 'data: ', 'event:', 'event: ', 'id: ', ':', '', 'dat', 'datax:')
  const line = fc.tuple(field, value).map(([name, text]) => (name === '' ? '' : name + text.replaceAll(/[\r\n]/g, '')))
  const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\n\r\n', '\r\r')
  const lines = fc.array(
    fc.tuple(line, ending).map((parts) => parts.join('')),
    { maxLength: 12 },
  )
  return fc.tuple(fc.constantFrom('', '\ufeff'), lines, line).map(([mark, all, rest]) => mark + all.join('') + rest)
}

interface Meaning {
  readonly data: string | null
  readonly event: string | null
}

/** The content of the frames that have data or a type. */
function meaningOf(events: readonly SseEvent[]): Meaning[] {
  const all = events.map(({ data, event }) => ({ data: data?.toString() ?? null, event }))
  return all.filter(({ data, event }) => data !== null || event !== null)
}

/** The same content, read line by line as the HTML standard says, with the end of the stream as a blank line. */
function standardReading(text: string): Meaning[] {
  const frames: Meaning[] = []
  let lines: string[] = []
  for (const line of [...text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/), '']) {
    if (line !== '') lines.push(line)
    else {
      const data = valuesOf(lines, 'data')
      const event = valuesOf(lines, 'event').at(-1) ?? ''
      frames.push({ data: data.length === 0 ? null : data.join('\n'), event: event === '' ? null : event })
      lines = []
    }
  }
  return frames.filter(({ data, event }) => data !== null || event !== null)
}

function valuesOf(lines: readonly string[], name: string): string[] {
  const own = lines.filter((line) => line === name || line.startsWith(`${name}:`))
  return own.map((line) => line.slice(name.length + 1).replace(/^ /, ''))
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

/** Events as plain values, with the pieces of each oversized frame joined. */
function piecesJoined(events: readonly SseEvent[]): { raw: string; data: string | null; oversized: boolean }[] {
  const joined: { raw: string; data: string | null; oversized: boolean }[] = []
  for (const { raw, data, oversized } of events) {
    const previous = joined.at(-1)
    if (oversized && previous?.oversized === true) previous.raw += raw.toString('latin1')
    else joined.push({ raw: raw.toString('latin1'), data: data?.toString('latin1') ?? null, oversized })
  }
  return joined
}
