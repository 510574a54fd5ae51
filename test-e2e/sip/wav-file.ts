import { readFileSync, writeFileSync } from 'node:fs'

/** Writes 16-bit samples of one channel. */
export function writeWav(file: string, pcm: Int16Array, sampleRate: number): void {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + pcm.byteLength, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(2 * sampleRate, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(pcm.byteLength, 40)
  writeFileSync(file, Buffer.concat([head, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]))
}

/** The samples of a file of one channel with 16 bits, also of one that is still written. */
export function readWav(file: string): Int16Array {
  const bytes = readFileSync(file)
  const at = bytes.indexOf('data') + 8
  return Int16Array.from({ length: Math.floor((bytes.length - at) / 2) }, (_, i) => bytes.readInt16LE(at + 2 * i))
}
