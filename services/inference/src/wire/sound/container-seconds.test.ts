import { createHash } from 'node:crypto'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { soundSeconds } from './sound-seconds.ts'

const many = (count: number, part: Buffer) => Buffer.concat(Array.from({ length: count }, () => part))
const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4)
  })
  return bytes
}

/** An element of EBML; `size: null` is one that was written as it was recorded. */
function element(id: number, content: Buffer, size: number | null = content.length): Buffer {
  const idBytes = Buffer.from(id.toString(16), 'hex')
  const sizeBytes = Buffer.alloc(8, 0xff)
  sizeBytes[0] = 1
  if (size !== null) sizeBytes.writeUIntBE(size, 2, 6)
  if (size !== null) sizeBytes[1] = 0
  return Buffer.concat([idBytes, sizeBytes, content])
}

const webmHead = element(0x1a45dfa3, Buffer.from('webm'))
const trackOf = (codec: string) => element(0x1654ae6b, element(0xae, element(0x86, Buffer.from(codec))))
const block = (content: readonly number[], flags = 0x80) => element(0xa3, Buffer.from([0x81, 0, 0, flags, ...content]))
/** Opus: three frames of 20 ms in a packet. */
const packet = [(1 << 3) | 3, 3]

function webm(codec: string, clusters: readonly Buffer[]): Buffer {
  return Buffer.concat([webmHead, element(0x18538067, Buffer.concat([trackOf(codec), ...clusters]), null)])
}

describe('the seconds of WebM', () => {
  const cluster = element(0x1f43b675, many(99, block(packet)), null)

  it('are those of all packets', () => {
    const sound = webm('A_OPUS', [cluster, cluster])
    expect(soundSeconds(sound).most).toBe(Math.ceil(Math.max(198 * 0.06, sound.length / 500)))
  })

  it.each<[string, Buffer, number]>([
    [
      'laced packets, each the longest',
      webm('A_OPUS', [element(0x1f43b675, many(100, block([255, 1], 0x86)))]),
      100 * 256 * 0.12,
    ],
    ['a codec that is not known', webm('A_SECRET', [cluster]), 99],
    [
      'blocks in groups',
      webm('A_SECRET', [element(0x1f43b675, many(100, element(0xa0, element(0xa1, Buffer.from([0x81, 0, 0, 0, 1])))))]),
      100,
    ],
    [
      'what follows damaged bytes',
      webm('A_SECRET', [cluster, Buffer.from([0xec, 0x08, 0xff, 0xff, 0xff, 0xff, 0, 0]), cluster]),
      198,
    ],
  ])('count %s', (_, sound, seconds) => {
    expect(soundSeconds(sound).most).toBe(Math.ceil(Math.max(seconds, sound.length / 500)))
  })
})

const box = (name: string, ...contents: readonly Buffer[]) => {
  const content = Buffer.concat(contents)
  return Buffer.concat([u32(content.length + 8), Buffer.from(name, 'latin1'), content])
}
const stsd = (format: string, ...more: readonly Buffer[]) =>
  box('stsd', u32(0, 1), box(format, Buffer.alloc(28), ...more))
const mp4 = (...tables: readonly Buffer[]) => Buffer.concat([box('ftyp', Buffer.from('M4A ')), box('moov', ...tables)])

describe('the seconds of MP4', () => {
  it.each<[string, Buffer, number]>([
    ['samples of AAC, in few bytes', mp4(stsd('mp4a'), box('stsz', u32(0, 6, 1_000_000))), 300_000],
    ['samples with small sizes', mp4(stsd('Opus'), box('stz2', u32(0, 4, 50_000))), 6_000],
    ['samples by their times', mp4(stsd('mp4a'), box('stts', u32(0, 2, 5_000, 1, 7_000, 1))), 3_600],
    [
      'samples of fragments',
      Buffer.concat([mp4(stsd('mp4a')), many(10, box('moof', box('trun', u32(0, 1_000))))]),
      3_000,
    ],
    [
      'parts that are played again',
      mp4(stsd('mp4a'), box('stsz', u32(0, 6, 1_000)), box('elst', u32(0, 3, 9, 0, 1, 9, 0, 1, 9, 0xffffffff, 1))),
      600,
    ],
    [
      'a codec that is not known, beside a known one',
      mp4(stsd('mp4a'), stsd('what'), box('stsz', u32(0, 6, 1_000))),
      1_000,
    ],
    [
      'frames of ALAC by their length',
      mp4(stsd('alac', box('alac', u32(0, 80_000))), box('stsz', u32(0, 6, 100))),
      1_000,
    ],
    ['what the file says', mp4(stsd('mp4a'), box('mdhd', u32(0, 0, 0, 1_000, 5_000_000))), 5_000],
  ])('count %s', (_, sound, seconds) => {
    expect(soundSeconds(sound).most).toBe(seconds)
  })
})

it('adds nothing to sounds whose packets have the bytes of speech', () => {
  const noise = createHash('sha256').update('speech').digest()
  const spoken = webm('A_OPUS', [element(0x1f43b675, many(5_000, block([...packet, ...noise, ...noise])), null)])
  expect(soundSeconds(spoken).most).toBe(Math.ceil(Math.max(5_000 * 0.06, spoken.length / 500)))
  const sound = Buffer.concat([mp4(stsd('mp4a'), box('stsz', u32(0, 0, 1_000))), many(5_000, noise)])
  expect(soundSeconds(sound).most).toBe(Math.ceil(Math.max(300, sound.length / 500)))
})

it.each([
  ['WebM', webm('A_OPUS', [Buffer.alloc(10_000_000, Buffer.from([0xa3, 0x80]))])],
  ['MP4', Buffer.concat([mp4(stsd('mp4a')), many(800_000, box('trun', u32(0)))])],
])('takes a part of a second for a hostile file of %s', (_, sound) => {
  expect(cpuMs(() => soundSeconds(sound))).toBeLessThan(1_500)
})
