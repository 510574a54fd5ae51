import type { Socket } from 'node:net'
import { kibibyte, mebibyte } from '@ratchet/contracts/byte-sizes'
import type { HeldBody } from '@ratchet/service-kit/http/body-budget'

/** A message that grew to this size has to grow on by `minBytes` until the next look. */
const slowMessage = { fromBytes: 64 * kibibyte, minBytes: mebibyte }
/** Bytes of a ping or pong of a client besides its content. */
const controlBytes = 6

export interface ArrivalOptions {
  /** The connection below the WebSocket, for counting what arrives. */
  readonly socket: Socket
  /** Memory for the message that arrives. */
  readonly arriving: HeldBody
}

/** Counts the message that arrives: its memory, and its speed. */
export function watchArrival({ socket, arriving }: ArrivalOptions) {
  let readAtMessage = socket.bytesRead
  let counted = 0
  let atLook = 0
  let wasPaused = false
  const unfinished = () => Math.max(0, socket.bytesRead - readAtMessage)
  return {
    /** Bytes arrived. */
    count(): { readonly hasGrown: boolean; readonly hasRoom: boolean } {
      const more = unfinished() - counted
      if (more <= 0) return { hasGrown: false, hasRoom: true }
      const hasRoom = arriving.mayAdd(more)
      if (hasRoom) counted += more
      return { hasGrown: true, hasRoom }
    },
    /** The message is complete. */
    whole() {
      readAtMessage = socket.bytesRead
      atLook = 0
      counted = 0
      arriving.leave()
    },
    /** A ping or a pong, which belongs to no message. */
    control(data: Buffer) {
      readAtMessage += controlBytes + data.length
    },
    /** The client cannot send. */
    paused() {
      wasPaused = true
    },
    /** Looks at its speed since the last look. @param isPaused whether the client cannot send now */
    isSlow(isPaused: boolean): boolean {
      const before = atLook
      const mayJudge = !wasPaused
      atLook = unfinished()
      wasPaused = isPaused
      return mayJudge && before > slowMessage.fromBytes && atLook - before < slowMessage.minBytes
    },
  }
}
