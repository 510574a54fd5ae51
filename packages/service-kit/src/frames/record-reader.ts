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
  /** The beginning of a record that did not arrive completely. */
  let pieces: Buffer[] = []
  let held = 0
  /** Its length with the bytes that state it; null while those are not complete. */
  let expected: number | null = null
  const lengthOf = (bytes: Buffer): number => {
    const length = bytes.readUInt32BE(0)
    if (length > reader.limitBytes) throw new FrameError(`a record of ${length} bytes`)
    return length
  }
  /** Takes bytes until the pieces are this long. Returns the other bytes; null while the pieces are shorter. */
  const fill = (bytes: Buffer, length: number): Buffer | null => {
    const missing = Math.max(0, length - held)
    const taken = bytes.subarray(0, missing)
    if (taken.length > 0) pieces.push(taken)
    held += taken.length
    return held < length ? null : bytes.subarray(missing)
  }
  /** Completes the record that was begun. Returns the bytes behind it; null while it is not complete. */
  const complete = (bytes: Buffer): Buffer | null => {
    const behindLength = fill(bytes, lengthBytes)
    if (behindLength === null) return null
    expected ??= lengthBytes + lengthOf(Buffer.concat(pieces, held))
    const rest = fill(behindLength, expected)
    if (rest === null) return null
    const record = Buffer.concat(pieces, held).subarray(lengthBytes)
    pieces = []
    held = 0
    expected = null
    onRecord(record)
    return rest
  }
  const reader: RecordReader = {
    limitBytes,
    push(arrived) {
      let bytes: Buffer | null = held === 0 ? arrived : complete(arrived)
      while (bytes !== null && bytes.length >= lengthBytes) {
        const end = lengthBytes + lengthOf(bytes)
        if (bytes.length < end) break
        onRecord(bytes.subarray(lengthBytes, end))
        bytes = bytes.subarray(end)
      }
      if (bytes === null || bytes.length === 0) return
      pieces.push(bytes)
      held += bytes.length
    },
  }
  return reader
}
