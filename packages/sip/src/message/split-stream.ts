import { maxMessageBytes } from './parse-message.ts'
import { SipParseError } from './sip-parse-error.ts'

/** Divides the bytes of a TCP or TLS connection into messages (RFC 3261, section 18.3). */
export interface StreamSplitter {
  /**
   * @returns the messages that ended in these bytes
   * @throws SipParseError when the connection cannot be read any further
   */
  push(bytes: Buffer): Buffer[]
}

const lengthPattern = /\r\n(?:content-length|l)[ \t]*:[ \t]*(\d{1,6})[ \t]*\r\n/i

export function createStreamSplitter(): StreamSplitter {
  let held = Buffer.alloc(0)
  return {
    push(bytes) {
      held = Buffer.concat([held, bytes])
      const messages: Buffer[] = []
      for (;;) {
        held = withoutLineEnds(held)
        const end = held.indexOf('\r\n\r\n')
        if (end < 0) break
        const length = lengthPattern.exec(held.toString('latin1', 0, end + 2))?.[1]
        if (length === undefined) throw new SipParseError('length', 'no Content-Length on a stream')
        const size = end + 4 + Number(length)
        if (size > maxMessageBytes) throw new SipParseError('too_large', `more than ${maxMessageBytes} bytes`)
        if (held.length < size) break
        messages.push(held.subarray(0, size))
        held = held.subarray(size)
      }
      if (held.length > maxMessageBytes) throw new SipParseError('too_large', `more than ${maxMessageBytes} bytes`)
      return messages
    },
  }
}

/** Peers send empty lines to keep a connection open. */
function withoutLineEnds(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let from = 0
  while (bytes[from] === 13 || bytes[from] === 10) from++
  return bytes.subarray(from)
}
