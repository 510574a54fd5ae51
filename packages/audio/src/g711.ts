// The two codecs of telephone networks, ITU-T G.711 (1988): one byte per sample at 8 kHz. Rounding follows Sun's reference
// code, as Python's `audioop` does.

const muLawBias = 33
const muLawClip = 8159

const muLawOfSample = tableOf(muLawByte)
const aLawOfSample = tableOf(aLawByte)
const sampleOfMuLaw = Int16Array.from({ length: 256 }, (_, byte) => muLawSample(byte))
const sampleOfALaw = Int16Array.from({ length: 256 }, (_, byte) => aLawSample(byte))

/** The byte of silence. */
export const muLawSilence = 0xff

/** @param pcm 16-bit samples */
export function encodeMuLaw(pcm: Int16Array): Uint8Array {
  return encodeBy(muLawOfSample, pcm)
}

/** @returns 16-bit samples, one per byte */
export function decodeMuLaw(bytes: Uint8Array): Int16Array {
  return decodeBy(sampleOfMuLaw, bytes)
}

/** @param pcm 16-bit samples */
export function encodeALaw(pcm: Int16Array): Uint8Array {
  return encodeBy(aLawOfSample, pcm)
}

/** @returns 16-bit samples, one per byte */
export function decodeALaw(bytes: Uint8Array): Int16Array {
  return decodeBy(sampleOfALaw, bytes)
}

function encodeBy(table: Uint8Array, pcm: Int16Array): Uint8Array {
  const bytes = new Uint8Array(pcm.length)
  for (let i = 0; i < pcm.length; i++) bytes[i] = table[(pcm[i] ?? 0) & 0xffff] ?? 0
  return bytes
}

function decodeBy(table: Int16Array, bytes: Uint8Array): Int16Array {
  const pcm = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) pcm[i] = table[bytes[i] ?? 0] ?? 0
  return pcm
}

/** The bytes of all samples, by the sample's 16 bits. */
function tableOf(byteOf: (sample: number) => number): Uint8Array {
  return Uint8Array.from({ length: 0x1_0000 }, (_, bits) => byteOf((bits << 16) >> 16))
}

function muLawByte(sample: number): number {
  const value = sample >> 2
  const mask = value < 0 ? 0x7f : 0xff
  const magnitude = Math.min(Math.abs(value), muLawClip) + muLawBias
  const segment = segmentOf(magnitude, 6)
  if (segment > 7) return 0x7f ^ mask
  return ((segment << 4) | ((magnitude >> (segment + 1)) & 0xf)) ^ mask
}

function muLawSample(byte: number): number {
  const bits = ~byte & 0xff
  const magnitude = ((((bits & 0xf) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84
  return (bits & 0x80) === 0 ? magnitude : -magnitude
}

function aLawByte(sample: number): number {
  const value = sample >> 3
  const mask = value < 0 ? 0x55 : 0xd5
  const magnitude = value < 0 ? -value - 1 : value
  const segment = segmentOf(magnitude, 5)
  if (segment > 7) return 0x7f ^ mask
  const step = segment < 2 ? 1 : segment
  return ((segment << 4) | ((magnitude >> step) & 0xf)) ^ mask
}

function aLawSample(byte: number): number {
  const bits = byte ^ 0x55
  const segment = (bits & 0x70) >> 4
  const base = ((bits & 0xf) << 4) + (segment === 0 ? 8 : 0x108)
  const magnitude = base << Math.max(segment - 1, 0)
  return (bits & 0x80) === 0 ? -magnitude : magnitude
}

/** How many bits a magnitude has beyond the first `bits`; segments double in size. */
function segmentOf(magnitude: number, bits: number): number {
  return Math.max(0, 32 - Math.clz32(magnitude) - bits)
}
