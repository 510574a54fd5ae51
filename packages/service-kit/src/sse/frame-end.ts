import { CR, endOfLine, LF } from './read-event.ts'

/** The position of a reader inside a frame, which it remembers from one chunk to the next. */
export interface FramePlace {
  /**
   * True when the frame has a line that is not blank. Blank lines before the first one belong to the frame but do not
   * end it.
   */
  hasLines: boolean
  lineIsBlank: boolean
  /** True when the last byte was a CR, so that an LF would belong to the same line ending. */
  isAfterCr: boolean
  /** True after the blank line. Only that LF may still follow. */
  isOver: boolean
}

export function frameStart(): FramePlace {
  return { hasLines: false, lineIsBlank: true, isAfterCr: false, isOver: false }
}

/**
 * Offset in the chunk just past the frame that `place` is in, or -1 when the frame does not end in this chunk. Whether
 * a frame that ends with a CR is over shows only the next byte, so the offset may be `from` itself.
 */
export function frameEnd(place: FramePlace, chunk: Buffer, from: number): number {
  let at = from
  while (at < chunk.length) {
    const byte = chunk[at]
    if (place.isAfterCr) {
      place.isAfterCr = false
      if (byte === LF) at += 1
      if (place.isOver) return at
      if (byte === LF) continue
    }
    if (byte === LF || byte === CR) {
      at += 1
      if (endLine(place, byte)) return at
    } else {
      place.hasLines = true
      place.lineIsBlank = false
      at = endOfLine(chunk, at)
    }
  }
  return -1
}

/** Ends a line; true when this certainly ends the frame. */
function endLine(place: FramePlace, byte: number): boolean {
  const endsFrame = place.hasLines && place.lineIsBlank
  place.lineIsBlank = true
  place.isAfterCr = byte === CR
  place.isOver = endsFrame
  return endsFrame && byte === LF
}
