import { FrameError } from './frame-format.ts'
import { lengthBytes } from './record-mac.ts'

export interface RecordReader {
  /** Maximum length of the next record, bytes. */
  limitBytes: number
  /**
   * Takes bytes as they arrive, in pieces of any size.
   *
   * @throws FrameError for a record over the limit, before its bytes are collected
   */
  push(bytes: Buffer): void
}

/** Divides what a connection delivers into records. What `onRecord` gets shares memory with the bytes that arrived. */
export function createRecordReader(limitBytes: number, onRecord: (record: Buffer) => void): RecordReader {
  let pieces: Buffer[] = []
  let held = 0
  let needed = lengthBytes
  const reader: RecordReader = {
    limitBytes,
    push(piece) {
      pieces.push(piece)
      held += piece.length
      if (held < needed) return
      const bytes = pieces.length === 1 ? piece : Buffer.concat(pieces, held)
      let at = 0
      needed = lengthBytes
      while (bytes.length - at >= lengthBytes) {
        const length = bytes.readUInt32BE(at)
        if (length > reader.limitBytes) throw new FrameError(`a record of ${length} bytes`)
        const end = at + lengthBytes + length
        if (end > bytes.length) {
          needed = lengthBytes + length
          break
        }
        onRecord(bytes.subarray(at + lengthBytes, end))
        at = end
      }
      held = bytes.length - at
      pieces = held === 0 ? [] : [bytes.subarray(at)]
    },
  }
  return reader
}
