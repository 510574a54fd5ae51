/*
 * How long compressed sounds can be whose frames may be very short: silence takes 2 bytes for a second in FLAC, and some 20 in
 * Opus. What a file says about its length is not believed: players play the frames that it has.
 */

/** Of a FLAC whose frames leave it to a head that is not found. */
const slowestRate = 1_000
const flacRates = [0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000]

/** The seconds of all frames of FLAC in a file, whatever contains them. Other bytes look like one by chance only. */
export function secondsOfFlac(sound: Buffer): number {
  const ownRate = rateOfFlac(sound)
  let seconds = 0
  for (let at = 0; at + 6 <= sound.length; at += 1) {
    if (sound[at] === 0xff && ((sound[at + 1] ?? 0) & 0xfe) === 0xf8) seconds += flacFrame(sound, at, ownRate)
  }
  return seconds
}

function rateOfFlac(sound: Buffer): number {
  const at = sound.indexOf('fLaC')
  if (at < 0 || at + 21 > sound.length) return slowestRate
  return sound.readUIntBE(at + 18, 3) >> 4 || slowestRate
}

/** The seconds of the frame that begins here; 0 when none does. */
function flacFrame(sound: Buffer, start: number, ownRate: number): number {
  const byteAt = (at: number) => sound[at] ?? 0
  const [sizeCode, rateCode] = [byteAt(start + 2) >> 4, byteAt(start + 2) & 15]
  const format = byteAt(start + 3)
  const numberBytes = bytesOfNumber(byteAt(start + 4))
  if (sizeCode === 0 || rateCode === 15 || (format & 1) === 1 || format >> 4 > 10 || numberBytes === 0) return 0
  let at = start + 4 + numberBytes
  const next = (bytes: number) => {
    at += bytes
    return at <= sound.length ? sound.readUIntBE(at - bytes, bytes) : 0
  }
  const samples = samplesOf(sizeCode, next)
  const rate = rateCode === 0 ? ownRate : rateOf(rateCode, next)
  return rate > 0 && crc8(sound, start, at) === sound[at] ? samples / rate : 0
}

type Next = (bytes: number) => number

function samplesOf(code: number, next: Next): number {
  if (code === 1) return 192
  if (code <= 5) return 576 << (code - 2)
  if (code <= 7) return next(code - 5) + 1
  return 256 << (code - 8)
}

function rateOf(code: number, next: Next): number {
  if (code < 12) return flacRates[code] ?? 0
  if (code === 12) return next(1) * 1_000
  return next(2) * (code === 14 ? 10 : 1)
}

/** Bytes of a number as UTF-8 has them, extended to 36 bits; 0 when none begins with this one. */
function bytesOfNumber(first: number): number {
  if (first < 0x80) return 1
  const ones = Math.clz32(~(first << 24))
  return ones >= 2 && ones <= 7 ? ones : 0
}

function crc8(bytes: Buffer, from: number, to: number): number {
  let crc = 0
  for (let at = from; at < to; at += 1) {
    crc ^= bytes[at] ?? 0
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 7) & 0xff : crc << 1
  }
  return crc
}

const pageHeadBytes = 27
/** Of a packet of Opus, and of one whose codec is not known. */
const longest = { opus: 0.12, unknown: 1 }

/** The most seconds of a packet that begins here. */
type PacketSeconds = (at: number) => number

/** The most seconds of all packets of an Ogg file; 0 for any other. */
export function secondsOfOgg(sound: Buffer): number {
  if (sound.toString('latin1', 0, 4) !== 'OggS') return 0
  const streams = new Map<number, PacketSeconds>()
  let seconds = 0
  for (let at = 0; at >= 0 && at + pageHeadBytes <= sound.length; at = sound.indexOf('OggS', at + pageHeadBytes)) {
    const serial = sound.readUInt32LE(at + 14)
    for (const packet of packetsIn(sound, at)) {
      const known = streams.get(serial)
      if (known === undefined) streams.set(serial, packetSecondsOf(sound, packet))
      else seconds += known(packet)
    }
  }
  return seconds
}

/** Where the packets begin that begin in a page. */
function packetsIn(sound: Buffer, page: number): readonly number[] {
  const segments = sound.subarray(page + pageHeadBytes, page + pageHeadBytes + (sound[page + 26] ?? 0))
  let at = page + pageHeadBytes + segments.length
  let begins = ((sound[page + 5] ?? 0) & 1) === 0
  const packets: number[] = []
  for (const bytes of segments) {
    if (begins) packets.push(at)
    begins = bytes < 255
    at += bytes
  }
  return packets
}

function packetSecondsOf(sound: Buffer, head: number): PacketSeconds {
  const name = sound.toString('latin1', head, head + 8)
  if (name === 'OpusHead') return (at) => opusSeconds(sound[at] ?? 0, sound[at + 1] ?? 0)
  if (name.startsWith('\u007fFLAC')) return () => 0 // its frames are counted by themselves
  if (name.startsWith('\u0001vorbis') && head + 29 <= sound.length) {
    const samples = (1 << ((sound[head + 28] ?? 0) >> 4)) / 2
    return () => Math.min(longest.unknown, samples / Math.max(1, sound.readUInt32LE(head + 12)))
  }
  return () => longest.unknown
}

/** Of a packet of Opus, as its first byte says, and the second where it is needed (RFC 6716, 3.1). */
export function opusSeconds(first: number, second: number): number {
  const config = first >> 3
  const silk = [10, 20, 40, 60]
  const hybrid = [10, 20]
  const celt = [2.5, 5, 10, 20]
  const frameMs = config < 12 ? silk[config & 3] : config < 16 ? hybrid[config & 1] : celt[config & 3]
  const frames = [1, 2, 2, second & 63][first & 3]
  return Math.min(longest.opus, ((frameMs ?? 0) * (frames ?? 0)) / 1_000)
}
