import { CR, endOfLine, LF } from './read-event.ts'

/** How far a reader is inside a frame; what it must remember from one chunk to the next. */
export interface FramePlace {
  /** The frame has a line that is not blank. Blank lines before the first one belong to it but do not end it. */
  hasLines: boolean
  lineIsBlank: boolean
  /** The last byte was a CR, so an LF would belong to the same line ending. */
  isAfterCr: boolean
  /** The blank line has come; only that LF may still follow. */
  isOver: boolean
}

export function frameStart(): FramePlace {
  return { hasLines: false, lineIsBlank: true, isAfterCr: false, isOver: false }
}

/**
 * Offset in the chunk just past the frame that `place` is in, or -1 when it does not end in this chunk. A frame ended
 * by a CR ends for certain only when the next byte is known; the offset may then be `from` itself.
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

/** Ends a line; true when that ends the frame for certain. */
function endLine(place: FramePlace, byte: number): boolean {
  const endsFrame = place.hasLines && place.lineIsBlank
  place.lineIsBlank = true
  place.isAfterCr = byte === CR
  place.isOver = endsFrame
  return endsFrame && byte === LF
}
