/** Bytes that wait for more. They are copied, so that a few of them do not keep a large chunk in memory. */
export interface Carry {
  length(): number
  append(piece: Buffer): void
  /** All stored bytes, followed by `piece`. Nothing is stored afterwards. */
  take(piece?: Buffer): Buffer
}

const empty = Buffer.alloc(0)

export function createCarry(): Carry {
  let bytes = empty
  let length = 0
  function append(piece: Buffer): void {
    if (length + piece.length > bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (length + piece.length))
      bytes.copy(larger, 0, 0, length)
      bytes = larger
    }
    piece.copy(bytes, length)
    length += piece.length
  }
  return {
    length: () => length,
    append,
    take(piece = empty) {
      if (length === 0) return piece
      append(piece)
      const whole = bytes.subarray(0, length)
      bytes = empty
      length = 0
      return whole
    },
  }
}
