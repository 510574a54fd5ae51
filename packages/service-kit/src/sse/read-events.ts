import { AnswerShare, type Reserve } from './answer-share.ts'
import { createCarry } from './carry.ts'
import { frameEnd, frameStart } from './frame-end.ts'
import { readEvent, type SseEvent } from './read-event.ts'

export interface SseReader {
  /** The frames that end in this chunk, oldest first. */
  push(chunk: Buffer): readonly SseEvent[]
  /**
   * Call when the stream has ended. Returns the bytes after the last complete frame, read as if a blank line followed;
   * the provider may have left a frame open or broken it off. Null when there are none.
   */
  end(): SseEvent | null
}

export interface SseReaderOptions {
  readonly maxEventBytes: number
  /** Absent: without a limit. */
  readonly reserve?: Reserve | undefined
}

/**
 * Splits a `text/event-stream` into frames while its bytes arrive, wherever they are cut. Accepts every line ending of
 * the standard, never throws, and holds at most `maxEventBytes` of an unfinished frame; a larger one is returned in
 * pieces that are marked `oversized`, and so is one for which `reserve` has no memory. A frame inside a single chunk is a view of that chunk, not a copy.
 */
export function createSseReader({ maxEventBytes, reserve }: SseReaderOptions): SseReader {
  const share = new AnswerShare(reserve)
  const unfinished = createCarry()
  let place = frameStart()
  let isFirst = true
  let isOversized = false

  function finish(piece: Buffer): SseEvent {
    const raw = unfinished.take(piece)
    const isTooLarge = isOversized || raw.length > maxEventBytes
    const event = isTooLarge ? oversized(raw) : readEvent(raw, isFirst ? bomLength(raw) : 0)
    place = frameStart()
    isFirst = false
    isOversized = false
    return event
  }

  /** Stores the start of a frame, or returns it at once when it is too large to store. */
  function store(piece: Buffer): SseEvent | null {
    const length = unfinished.length() + piece.length
    isOversized ||= length > maxEventBytes || !share.mayHold(length)
    if (isOversized) return oversized(unfinished.take(piece))
    unfinished.append(piece)
    return null
  }

  return {
    push(chunk) {
      const events: SseEvent[] = []
      let from = 0
      for (let end = frameEnd(place, chunk, 0); end !== -1; end = frameEnd(place, chunk, from)) {
        events.push(finish(chunk.subarray(from, end)))
        from = end
      }
      const piece = from < chunk.length ? store(chunk.subarray(from)) : null
      if (piece !== null) events.push(piece)
      return events
    },
    end() {
      return unfinished.length() === 0 ? null : finish(empty)
    },
  }
}

const empty = Buffer.alloc(0)

function oversized(raw: Buffer): SseEvent {
  return { raw, data: null, event: null, oversized: true }
}

/** A stream may begin with a byte order mark, which is not part of its first line. */
function bomLength(raw: Buffer): number {
  return raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf ? 3 : 0
}
