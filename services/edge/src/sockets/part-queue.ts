import { kibibyte } from '@ratchet/contracts/byte-sizes'

/** Longer messages go in parts, so that what a slow client takes of one is seen, and pings do not wait for its end. */
const partBytes = 64 * kibibyte

export interface PartQueue {
  isEmpty(): boolean
  add(message: Buffer): void
  clear(): void
  /** The next part; `fin` with the last one of a message. There must be one. */
  take(): { readonly bytes: Buffer; readonly fin: boolean }
}

/** Messages in the parts in which they are sent. */
export function createPartQueue(): PartQueue {
  let messages: Buffer[] = []
  let sent = 0
  return {
    isEmpty: () => messages.length === 0,
    add: (message: Buffer) => void messages.push(message),
    clear() {
      messages = []
    },
    take() {
      const [message] = messages as [Buffer]
      const bytes = message.subarray(sent, sent + partBytes)
      const fin = sent + bytes.length === message.length
      if (fin) messages.shift()
      sent = fin ? 0 : sent + bytes.length
      return { bytes, fin }
    },
  }
}
