import { crc32 } from 'node:zlib'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { createCarry } from '@ratchet/service-kit/sse/carry'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { fromUtf8, toUtf8 } from '@smithy/util-utf8'

/** One message of an `application/vnd.amazon.eventstream`. */
export interface EventMessage {
  /** `:message-type`: `event`, `exception` or `error`. */
  readonly type: string
  /** The type of the event, exception or error. */
  readonly name: string
  readonly payload: Buffer
}

export interface MessageReader {
  /**
   * The messages that this chunk completes, wherever it is cut. The caller must iterate over all of them.
   *
   * @throws Error after the messages before a damaged one; nothing can be read after it
   */
  push(chunk: Buffer): Iterable<EventMessage>
}

/** Maximum bytes of one message, including its headers. */
const maxMessageBytes = mebibyte
/** Two lengths and their checksum. */
const preludeLength = 12
/** A prelude and the checksum of the message. */
const minMessageBytes = 16

/** Splits a stream into its messages. A message that arrives in pieces is copied once, any other is not copied. */
export function createMessageReader(): MessageReader {
  const codec = new EventStreamCodec(toUtf8, fromUtf8)
  const unfinished = createCarry()
  let neededBytes = preludeLength
  return {
    *push(chunk) {
      if (unfinished.length() + chunk.length < neededBytes) return unfinished.append(chunk)
      const bytes = unfinished.take(chunk)
      let at = 0
      neededBytes = nextLength(bytes, at)
      while (bytes.length - at >= neededBytes) {
        yield readMessage(codec, bytes.subarray(at, at + neededBytes))
        at += neededBytes
        neededBytes = nextLength(bytes, at)
      }
      if (at < bytes.length) unfinished.append(bytes.subarray(at))
    },
  }
}

/** The number of bytes of the message at `at`, or of its prelude while that has not arrived. */
function nextLength(bytes: Buffer, at: number): number {
  if (bytes.length - at < preludeLength) return preludeLength
  const length = bytes.readUInt32BE(at)
  if (length < minMessageBytes || length > maxMessageBytes) throw new Error(`a message of ${length} bytes`)
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
