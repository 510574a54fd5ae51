import type { PlacedChunk, RecordingInfo } from './recording.ts'

/** Bytes before the audio of a WAV file with a `fact` part, which files without linear samples have. */
export const waveHeaderBytes = 58
const muLawFormat = 7
const channels = 2

/** Of the whole file. */
export function waveBytes(samples: number): number {
  return waveHeaderBytes + samples * channels
}

/** The head of a WAV file with two channels of mu-law: the caller is the left one. */
export function waveHeader({ samples, sampleRate }: Pick<RecordingInfo, 'samples' | 'sampleRate'>): Buffer {
  const bytes = samples * channels
  const head = Buffer.alloc(waveHeaderBytes)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(waveHeaderBytes - 8 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(18, 16)
  head.writeUInt16LE(muLawFormat, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * channels, 28)
  head.writeUInt16LE(channels, 32)
  head.writeUInt16LE(8, 34)
  head.write('fact', 38, 'latin1')
  head.writeUInt32LE(4, 42)
  head.writeUInt32LE(samples, 46)
  head.write('data', 50, 'latin1')
  head.writeUInt32LE(bytes, 54)
  return head
}

/** Bytes of a file, the last one included. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * Reads a header `Range` with one range. Others, and those behind the end, are answered with the whole file: the header may be
 * ignored (RFC 9110), and the interface has no status 416.
 *
 * @returns null: the whole file
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const count = Math.min(size, Number(last))
    return count === 0 ? null : { from: size - count, to: size - 1 }
  }
  const from = Number(first)
  const to = last === '' ? size - 1 : Math.min(size - 1, Number(last))
  return from >= size || to < from ? null : { from, to }
}

/** A part of a chunk, in bytes of its audio. */
export interface ChunkPart {
  readonly number: number
  readonly from: number
  /** Behind the last one. */
  readonly to: number
}

/** The chunks that a range of the file needs. */
export function partsOf(chunks: readonly PlacedChunk[], { from, to }: ByteRange): readonly ChunkPart[] {
  return chunks.flatMap(({ number, fromSample, samples }): ChunkPart[] => {
    const at = waveHeaderBytes + fromSample * channels
    const size = samples * channels
    const part = { number, from: Math.max(0, from - at), to: Math.min(size, to + 1 - at) }
    return part.from < part.to ? [part] : []
  })
}
