import { crc32 } from 'node:zlib'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'

/** One message of an `application/vnd.amazon.eventstream`. */
export interface EventMessage {
  /** `:message-type`: `event`, `exception` or `error`. */
  readonly type: string
  /** What kind of event, exception or error it is. */
  readonly name: string
  readonly payload: Buffer
}

export interface MessageReader {
  /**
   * The messages that this chunk, cut anywhere, completes; all of them have to be taken.
   *
   * @throws Error, after the messages before, when the bytes are no such stream: nothing more can be read then
   */
  push(chunk: Buffer): Iterable<EventMessage>
}

/** Bytes of one message, all included. */
const longestMessage = 1024 * 1024
/** Two lengths and their checksum. */
const preludeLength = 12
/** A prelude and the checksum of everything. */
const shortestMessage = 16

/** Cuts a stream into its messages. Bytes are copied once for a message that comes in pieces, else not at all. */
export function createMessageReader(): MessageReader {
  const codec = new EventStreamCodec(toUtf8, fromUtf8)
  let pieces: Buffer[] = []
  let length = 0
  let requested = preludeLength
  return {
    *push(chunk) {
      pieces.push(chunk)
      length += chunk.length
      if (length < requested) return
      const bytes = pieces.length === 1 ? chunk : Buffer.concat(pieces)
      let at = 0
      requested = nextLength(bytes, at)
      while (bytes.length - at >= requested) {
        yield readMessage(codec, bytes.subarray(at, at + requested))
        at += requested
        requested = nextLength(bytes, at)
      }
      pieces = at === bytes.length ? [] : [bytes.subarray(at)]
      length = bytes.length - at
    },
  }
}

/** How many bytes the message at `at` has; those of its prelude while that is not there. */
function nextLength(bytes: Buffer, at: number): number {
  if (bytes.length - at < preludeLength) return preludeLength
  const length = bytes.readUInt32BE(at)
  if (length < shortestMessage || length > longestMessage) throw new Error(`a message of ${length} bytes`)
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) throw new Error('a damaged prelude')
  return length
}

function readMessage(codec: EventStreamCodec, bytes: Buffer): EventMessage {
  const { headers, body } = codec.decode(bytes)
  const text = (name: string) => {
    const value = Object.hasOwn(headers, name) ? headers[name]?.value : undefined
    return typeof value === 'string' ? value : ''
  }
  const type = text(':message-type')
  const named: Readonly<Record<string, string>> = { exception: ':exception-type', error: ':error-code' }
  const name = text(named[type] ?? ':event-type')
  return { type, name, payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }
}
