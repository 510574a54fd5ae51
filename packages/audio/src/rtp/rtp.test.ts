import fc from 'fast-check'
import { createFrameAssembler } from './create-frame-assembler.ts'
import { parseRtcp, writeSenderReport } from './rtcp-packet.ts'
import { parseRtp, writeRtp } from './rtp-packet.ts'

describe('packets of audio', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(
        fc.record({
          payloadType: fc.nat(127),
          isMarked: fc.boolean(),
          sequence: fc.nat(0xffff),
          timestamp: fc.nat(0xffff_ffff),
          ssrc: fc.nat(0xffff_ffff),
          payload: fc.uint8Array({ maxLength: 200 }),
        }),
        (packet) => expect(parseRtp(writeRtp(packet))).toEqual(packet),
      ),
    )
  })

  it('may have sources, an extension and padding', () => {
    const bytes = Buffer.from('b2800001000000020000000311111111222222220001000133333333aabbcc000002', 'hex')
    expect(parseRtp(bytes)).toMatchObject({
      sequence: 1,
      ssrc: 3,
      payload: Buffer.from('aabbcc0000', 'hex').subarray(0, 4),
    })
  })

  it('are never read beyond their end', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => void [parseRtp(bytes), parseRtcp(bytes)]),
      { numRuns: 5_000 },
    )
    expect(parseRtp(new Uint8Array(11).fill(0x80))).toBeNull()
    expect(parseRtp(new Uint8Array(12))).toBeNull()
    expect(parseRtp(Uint8Array.of(0xa0, ...new Array(11).fill(0), 200))).toBeNull()
  })
})

describe('reports', () => {
  it('are read as they were written, with and without reception and end', () => {
    const received = {
      ssrc: 9,
      lostShare: 0.25,
      lost: 12,
      highestSequence: 70_000,
      jitter: 33,
      lastReport: 5,
      sinceLastReport: 6,
    }
    const report = { ssrc: 8, ntpTime: 0x1122_3344_5566_7788n, timestamp: 160, packets: 3, bytes: 480, received }
    const bytes = writeSenderReport(report, 'ratchet', { isBye: true })
    expect(bytes.length % 4).toBe(0)
    expect(parseRtcp(bytes)).toEqual({ senderTime: 0x1122_3344_5566_7788n, reports: [received], isBye: true })
    const bare = writeSenderReport({ ...report, received: null }, 'x', { isBye: false })
    expect(parseRtcp(bare)).toEqual({ senderTime: 0x1122_3344_5566_7788n, reports: [], isBye: false })
    expect(parseRtcp(bare.subarray(0, -1))).toBeNull()
  })
})

describe('frames', () => {
  it('have the same samples, however the stream is divided', () => {
    const pcm = Int16Array.from({ length: 3_200 }, (_, i) => i + 1)
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
        fc.nat(0xffff_ffff),
        (sizes, first) => {
          const assembler = createFrameAssembler(160)
          const frames: { number: number; pcm: Int16Array }[] = []
          for (let at = 0, i = 0; at < pcm.length; i++) {
            const part = pcm.subarray(at, at + (sizes[i % sizes.length] ?? 1))
            frames.push(...assembler.push((first + at) >>> 0, part))
            at += part.length
          }
          expect(frames.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i))
          expect(frames.flatMap((frame) => [...frame.pcm])).toEqual([...pcm])
        },
      ),
    )
  })

  it('without all their samples are forgotten', () => {
    const assembler = createFrameAssembler(160)
    for (let i = 0; i < 100; i++) expect(assembler.push(i * 160, new Int16Array(80))).toEqual([])
    expect(assembler.push(99 * 160 + 80, new Int16Array(80))).toHaveLength(1)
    expect(assembler.push(80, new Int16Array(80))).toEqual([])
    expect(assembler.push(0, new Int16Array(2_000))).toEqual([])
  })
})
