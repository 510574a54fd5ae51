import { secondsOfFlac, secondsOfOgg } from './compressed-seconds.ts'
import { secondsOfMp4, secondsOfWebm } from './container-seconds.ts'

/** How long a sound is, in whole seconds, rounded up. Both are the same when its bytes say it. */
export interface SoundSeconds {
  /** What it can be at most: speech has more bytes for a second in any codec in use, and so has silence in most. */
  readonly most: number
  /** What it usually is, for an answer that does not say it. */
  readonly usual: number
}

/** 4 kbit/s. */
const fewestBytesPerSecond = 500
/** 128 kbit/s. */
const usualBytesPerSecond = 16_000
const headBytes = 12
const pcm = 1
const floatingPoint = 3

/** The length of a sound: exact for an uncompressed WAV file, else bounded by its bytes and by what they are frames of. */
export function soundSeconds(sound: Buffer): SoundSeconds {
  const exact = secondsOfWav(sound)
  if (exact !== null) return { most: exact, usual: exact }
  const byBytes = sound.length / fewestBytesPerSecond
  return {
    most: Math.ceil(
      Math.max(byBytes, secondsOfFlac(sound), secondsOfOgg(sound), secondsOfWebm(sound), secondsOfMp4(sound)),
    ),
    usual: Math.ceil(sound.length / usualBytesPerSecond),
  }
}

/** Computed from the values that a player computes with, so that a file cannot seem shorter than it is. */
function secondsOfWav(sound: Buffer): number | null {
  if (sound.toString('latin1', 0, 4) !== 'RIFF' || sound.toString('latin1', 8, headBytes) !== 'WAVE') return null
  let bytesPerSecond = Number.POSITIVE_INFINITY
  for (let at = headBytes; at + 8 <= sound.length; at += 8 + even(sound.readUInt32LE(at + 4))) {
    const name = sound.toString('latin1', at, at + 4)
    // Players differ in which of several they follow.
    if (name === 'fmt ') bytesPerSecond = Math.min(bytesPerSecond, rateOf(sound.subarray(at + 8)))
    // Files that were written as they were recorded do not know the length of their sound: it is all of the rest.
    if (name !== 'data') continue
    const isKnown = bytesPerSecond > 0 && bytesPerSecond < Number.POSITIVE_INFINITY
    return isKnown ? Math.ceil((sound.length - at - 8) / bytesPerSecond) : null
  }
  return null
}

/** Bytes of a second; 0 for a compressed sound. */
function rateOf(format: Buffer): number {
  if (format.length < 16) return 0
  const kind = format.readUInt16LE(0)
  if (kind !== pcm && kind !== floatingPoint) return 0
  return (format.readUInt32LE(4) * format.readUInt16LE(2) * format.readUInt16LE(14)) / 8
}

/** Parts of a WAV file begin at even places. */
function even(length: number): number {
  return length + (length % 2)
}

/** A WAV file of silence: 8,000 samples of a byte in each second. */
export function silentSound(seconds: number): Buffer {
  const samples = 8_000
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples * seconds, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(pcm, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(samples, 24)
  head.writeUInt32LE(samples, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples * seconds, 40)
  return Buffer.concat([head, Buffer.alloc(samples * seconds, 0x80)])
}
