import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { type Frame, FrameError, frameHeadBytes, frameTypes, maxPayloadBytes, readFrames } from './frame-format.ts'
import { createOpener, createSealer, largeBytes, maxSealedBytes } from './record-mac.ts'
import { createRecordReader } from './record-reader.ts'

const secret = randomBytes(32)
const types = Object.values(frameTypes)

const someFrame: fc.Arbitrary<Frame> = fc.record({
  type: fc.constantFrom(...types),
  stream: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
})
/** Larger than what is copied into a record. */
const largeFrame: fc.Arbitrary<Frame> = fc
  .integer({ min: 4_000, max: 4_200 })
  .map((length) => ({ type: frameTypes.data, stream: 5, payload: Buffer.alloc(length, length) }))
const someRecords = fc.array(
  fc.array(fc.oneof({ weight: 4, arbitrary: someFrame }, largeFrame), { minLength: 1, maxLength: 5 }),
  { minLength: 1, maxLength: 5 },
)

/** Reads sealed records that arrive in these pieces. */
function readAll(pieces: readonly Buffer[]): Frame[] {
  const frames: Frame[] = []
  const open = createOpener(secret)
  const reader = createRecordReader(maxSealedBytes, (record) => readFrames(open(record), (frame) => frames.push(frame)))
  for (const piece of pieces) reader.push(piece)
  return frames
}

describe('sealed records', () => {
  it('deliver the same frames at every split of their bytes', () => {
    fc.assert(
      fc.property(someRecords, fc.array(fc.nat()), (records, cuts) => {
        const { seal } = createSealer(secret)
        const bytes = Buffer.concat(records.flatMap((frames) => seal(frames)))
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
        const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
        expect(readAll(pieces)).toEqual(records.flat())
      }),
    )
  })

  it('deliver the same frames byte by byte', () => {
    const { seal } = createSealer(secret)
    const frames: Frame[] = [
      { type: frameTypes.request, stream: 1, payload: Buffer.from('POST\n/v1') },
      { type: frameTypes.data, stream: 1, payload: randomBytes(500) },
      { type: frameTypes.end, stream: 1, payload: Buffer.alloc(0) },
    ]
    const bytes = Buffer.concat([...seal(frames.slice(0, 2)), ...seal(frames.slice(2))])
    for (let at = 0; at <= bytes.length; at++) {
      expect(readAll([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(frames)
    }
    expect(readAll([...bytes].map((byte) => Buffer.of(byte)))).toEqual(frames)
  })

  it('have a MAC of another kind when they are large, in any mixture with small ones', () => {
    const { seal } = createSealer(secret)
    const data = (bytes: number): Frame => ({ type: frameTypes.data, stream: 9, payload: randomBytes(bytes) })
    const records = [
      [data(10)],
      [data(maxPayloadBytes)],
      // Content just below and at the limit, of one payload and of many small ones.
      ...[1, 0].map((less) => [data(8_192 - frameHeadBytes), data(largeBytes - 8_192 - frameHeadBytes - less)]),
      ...[1, 0].map((less) => [
        ...Array.from({ length: largeBytes / 256 - 1 }, () => data(256 - frameHeadBytes)),
        data(256 - frameHeadBytes - less),
      ]),
      Array.from({ length: 100 }, () => data(300)),
      [data(5)],
    ]
    expect(readAll(records.flatMap((frames) => seal(frames)))).toEqual(records.flat())
  })

  it('are refused when a large one was changed or sent twice', () => {
    const frame: Frame = { type: frameTypes.data, stream: 9, payload: randomBytes(10_000) }
    const bytes = Buffer.concat(createSealer(secret).seal([frame, frame]))
    expect(() => readAll([bytes, bytes])).toThrow(FrameError)
    for (const place of [4, 9, 10_000, bytes.length - 17, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[place] = (changed[place] as number) ^ 1
      expect(() => readAll([changed])).toThrow(FrameError)
    }
  })

  it('carry the largest payload', () => {
    const frame: Frame = { type: frameTypes.data, stream: 7, payload: randomBytes(maxPayloadBytes) }
    expect(readAll(createSealer(secret).seal([frame]))).toEqual([frame])
  })

  it('are refused when any of their bytes was changed', () => {
    fc.assert(
      fc.property(
        fc.array(someFrame, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (frames, at, change) => {
          const bytes = Buffer.concat(createSealer(secret).seal(frames))
          const place = 4 + (at % (bytes.length - 4))
          bytes[place] = (bytes[place] as number) ^ change
          expect(() => readAll([bytes])).toThrow(FrameError)
        },
      ),
    )
  })

  it.each<[string, (records: readonly Buffer[]) => Buffer[]]>([
    ['replayed', ([first, ...rest]) => [first as Buffer, first as Buffer, ...rest]],
    ['in another order', (records) => records.toReversed()],
    ['incomplete', (records) => records.slice(1)],
  ])('are refused when they are %s', (_name, change) => {
    const { seal } = createSealer(secret)
    const frame = (stream: number): Frame => ({ type: frameTypes.end, stream, payload: Buffer.alloc(0) })
    const records = [1, 2, 3].map((stream) => Buffer.concat(seal([frame(stream)])))
    expect(readAll(records)).toHaveLength(3)
    expect(() => readAll(change(records))).toThrow(FrameError)
  })

  it('are refused when another key sealed them', () => {
    const pieces = createSealer(randomBytes(32)).seal([{ type: frameTypes.ping, stream: 0, payload: Buffer.alloc(0) }])
    expect(() => readAll(pieces)).toThrow(FrameError)
  })

  it('are refused by their length before their bytes are collected', () => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(maxSealedBytes + 1)
    expect(() => readAll([head])).toThrow(FrameError)
  })
})

describe('readFrames', () => {
  it('refuses what is no frame, and never reads beyond the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const content = Buffer.from(bytes)
        let length = 0
        try {
          readFrames(content, ({ payload }) => (length += 8 + payload.length))
          expect(length).toBe(content.length)
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError)
        }
      }),
    )
  })

  it.each([
    ['an unknown type', Buffer.of(0, 0, 0, 0, 1, 0, 0, 0)],
    ['a payload that is too long', Buffer.of(3, 0, 0, 0, 1, 1, 0, 1)],
    ['a cut head', Buffer.of(3, 0, 0)],
    ['a cut payload', Buffer.of(3, 0, 0, 0, 1, 0, 0, 2, 9)],
  ])('refuses %s', (_name, bytes) => {
    expect(() => readFrames(bytes, () => undefined)).toThrow(FrameError)
  })
})

it('uses the memory of a record again when it was written, and never before', () => {
  const { seal, release } = createSealer(secret)
  const frame = (text: string): Frame => ({ type: frameTypes.data, stream: 1, payload: Buffer.from(text) })
  const records = Array.from({ length: 40 }, (_, index) => seal([frame(`record ${index}`)])[0] as Buffer)
  expect(readAll(records).map(({ payload }) => payload.toString())).toEqual(
    records.map((_, index) => `record ${index}`),
  )
  const [first] = records as [Buffer]
  release(first)
  release(first)
  expect((seal([frame('next')])[0] as Buffer).buffer).toBe(first.buffer)
  expect((seal([frame('other')])[0] as Buffer).buffer).not.toBe(first.buffer)
})
