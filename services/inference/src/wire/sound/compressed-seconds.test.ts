import { createHash } from 'node:crypto'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { soundSeconds } from './sound-seconds.ts'

function crc8(bytes: Buffer): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : (crc << 1) & 0xff
  }
  return crc
}

const crcKnown = crc8(Buffer.from('123456789'))

/** A frame of FLAC that has one value for all of its samples. */
function silentFrame(number: readonly number[], sizeAndRate: number, more: readonly number[]): Buffer {
  const head = Buffer.from([0xff, 0xf8, sizeAndRate, 0x08, ...number, ...more])
  return Buffer.concat([head, Buffer.from([crc8(head), 0, 0, 0, 1, 2])])
}

function flac(rate: number, frames: readonly Buffer[]): Buffer {
  const info = Buffer.alloc(34)
  info.writeUIntBE(rate << 4, 10, 3)
  return Buffer.concat([Buffer.from('fLaC\u0080\0\0\u0022', 'latin1'), info, ...frames])
}

const many = (count: number, frame: Buffer) => Array.from({ length: count }, () => frame)

it('has the checksum of FLAC', () => {
  expect(crcKnown).toBe(0xf4)
})

it('counts the frames of FLAC, however few bytes they have and whatever contains them', () => {
  const eightSeconds = silentFrame([0], 0x74, [0xff, 0xfe])
  const whole = flac(44_100, many(100, eightSeconds))
  const inside = Buffer.concat([Buffer.from('\u001aE\u00df\u00a3', 'latin1'), ...many(100, eightSeconds)])
  for (const sound of [whole, inside]) expect(soundSeconds(sound).most).toBe(Math.ceil((100 * 65_535) / 8_000))
})

it.each<[string, Buffer, number]>([
  ['the rate of the file', silentFrame([0], 0x90, []), 512 / 16_000],
  ['a rate in kHz', silentFrame([0xc2, 0x80], 0x1c, [8]), 192 / 8_000],
  ['a rate in Hz', silentFrame([0xe2, 0x80, 0x80], 0x6d, [99, 0, 100]), 100 / 100],
  ['a rate in tens of Hz', silentFrame([0], 0x5e, [0, 10]), 4_608 / 100],
])('reads frames with %s', (_, frame, seconds) => {
  const count = 10_000
  const most = soundSeconds(flac(16_000, many(count, frame))).most
  expect(Math.abs(most - Math.ceil(Math.max(count * seconds, (42 + count * frame.length) / 500)))).toBeLessThan(2)
})

/** A page of Ogg with short packets. */
function page(packets: readonly Buffer[], serial = 7): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS', 'latin1')
  head.writeUInt32LE(serial, 14)
  head[26] = packets.length
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}

it.each<[string, Buffer, Buffer, number]>([
  ['Opus', Buffer.from('OpusHead\u0001\u0001', 'latin1'), Buffer.from([(3 << 3) | 1]), 0.12],
  ['Opus with a number of frames', Buffer.from('OpusHead\u0001\u0001', 'latin1'), Buffer.from([(1 << 3) | 3, 2]), 0.04],
  ['Opus with more than a packet may have', Buffer.from('OpusHead'), Buffer.from([(3 << 3) | 3, 63]), 0.12],
  ['a codec that is not known', Buffer.from('Secret\0\0'), Buffer.from([1]), 1],
])('counts the packets of %s in Ogg', (_, first, packet, seconds) => {
  const sound = Buffer.concat([page([first]), page([Buffer.from('tags')]), ...many(40, page(many(255, packet)))])
  const counted = soundSeconds(sound).most
  expect(counted).toBeGreaterThanOrEqual(Math.floor(40 * 255 * seconds))
  expect(counted).toBeLessThanOrEqual(Math.ceil(40 * 255 * seconds + 1))
})

it('counts packets of Vorbis by their longest block', () => {
  const head = Buffer.alloc(30)
  head.write('\u0001vorbis', 'latin1')
  head.writeUInt32LE(8_000, 12)
  head[28] = 0xd8
  const sound = Buffer.concat([page([head]), ...many(40, page(many(255, Buffer.from([0]))))])
  expect(soundSeconds(sound).most).toBe(Math.ceil((40 * 255 * 4_096) / 8_000))
})

it('hardly adds to what other sounds have by their bytes, and takes a part of a second for the largest', () => {
  const noise = Buffer.concat(
    Array.from({ length: 100_000 }, (_, part) => createHash('sha256').update(`${part}`).digest()),
  )
  const { most } = soundSeconds(noise)
  expect(most).toBeLessThan((noise.length / 500) * 1.05)
  const likeFrames = Buffer.alloc(10_000_000, Buffer.from([0xff, 0xf8, 0x74, 0x08, 0, 1]))
  expect(cpuMs(() => soundSeconds(likeFrames))).toBeLessThan(1_000)
})
