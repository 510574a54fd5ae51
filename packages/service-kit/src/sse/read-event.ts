/** One frame of a `text/event-stream`: its lines, up to and including the blank line that ends them. */
export interface SseEvent {
  /** The frame's exact bytes, and any blank lines before it. All `raw` in order are the bytes of the stream. */
  readonly raw: Buffer
  /** The values of its `data` lines, joined by `\n`; null when it has none, as a comment. */
  readonly data: Buffer | null
  /** Null for the default type, `message`. */
  readonly event: string | null
  /**
   * True when the frame is larger than allowed. Then `raw` is a part of it or all of it, and its fields were not read.
   */
  readonly oversized: boolean
}

export const LF = 0x0a
export const CR = 0x0d

/**
 * Reads the fields of one complete frame, which start at `from`. Comments and unknown fields are skipped, as the
 * standard requires.
 */
export function readEvent(raw: Buffer, from: number): SseEvent {
  const lines: Buffer[] = []
  let event: string | null = null
  let at = from
  while (at < raw.length) {
    const end = endOfLine(raw, at)
    const dataStart = valueStart(raw, at, end, 'data')
    if (dataStart !== -1) lines.push(raw.subarray(dataStart, end))
    else {
      const eventStart = valueStart(raw, at, end, 'event')
      if (eventStart !== -1) event = raw.toString('utf8', eventStart, end)
    }
    at = end + 1
  }
  return { raw, data: joined(lines), event: event === '' ? null : event, oversized: false }
}

/** Offset of the first CR or LF at or after `from`, or the length of `bytes`. */
export function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1
  return at
}

const COLON = 0x3a
const SPACE = 0x20
const lineFeed = Buffer.from('\n')

/** Offset of the value of the field `name` in the line, or -1 when the line has another field. */
function valueStart(raw: Buffer, from: number, to: number, name: string): number {
  const colon = from + name.length
  if (colon > to) return -1
  for (let index = 0; index < name.length; index += 1) {
    if (raw[from + index] !== name.charCodeAt(index)) return -1
  }
  if (colon === to) return to // a name alone is a field with an empty value
  if (raw[colon] !== COLON) return -1
  return raw[colon + 1] === SPACE ? colon + 2 : colon + 1
}

function joined([first, ...others]: readonly Buffer[]): Buffer | null {
  if (first === undefined) return null
  return others.length === 0 ? first : Buffer.concat([first, ...others.flatMap((line) => [lineFeed, line])])
}
