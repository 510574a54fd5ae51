import { createHash } from 'node:crypto'
import type { Content } from './artifact-store.ts'

export interface MeasuredBytes {
  /** The same bytes, counted while they are read. */
  through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** What was read. It ends the count. */
  read(): Content
}

/** Counts and hashes bytes on their way. */
export function measuredBytes(): MeasuredBytes {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    async *through(pieces) {
      for await (const piece of pieces) {
        hash.update(piece)
        bytes += piece.length
        yield piece
      }
    },
    read: () => ({ sha256: hash.digest('hex'), bytes }),
  }
}
