import type { Socket } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { WebSocket } from 'ws'

/** The client of one WebSocket. */
export interface SocketPeer {
  /** @returns false when the client does not read; `onDrained` is called when it does again */
  send(message: Buffer): boolean
  close(code: number): void
  /** Ends the connection without a word. */
  terminate(): void
}

export interface SocketPeerOptions {
  readonly websocket: WebSocket
  /** The connection below it, for counting what it sends. */
  readonly socket: Socket
  /** Milliseconds between two pings. A client that has not answered one when the next is due is gone. */
  readonly pingMs: number
  /** @param message null when it is not text */
  onMessage(message: Buffer | null): void
  onDrained(): void
  onClose(): void
}

/** Bytes of messages that wait for the client before it counts as not reading. */
const highWaterBytes = 65_536
/** A message that grew to this size has to grow on by `minBytes` until the next ping. */
const slowMessage = { fromBytes: 65_536, minBytes: mebibyte }

/** Bytes of a ping or pong of a client besides its content. */
const controlBytes = 6

/** Speaks with a client, and finds out when it is gone or sends its message too slowly. */
export function createSocketPeer(options: SocketPeerOptions): SocketPeer {
  const { websocket, socket, pingMs } = options
  let isAlive = true
  let isFull = false
  let readAtMessage = socket.bytesRead
  let unfinished = 0
  const onSent = () => {
    if (!isFull || websocket.bufferedAmount > highWaterBytes / 2) return
    isFull = false
    options.onDrained()
  }
  const isSlow = () => {
    const before = unfinished
    unfinished = socket.bytesRead - readAtMessage
    return before > slowMessage.fromBytes && unfinished - before < slowMessage.minBytes
  }
  const look = setInterval(() => {
    if (!isAlive || isSlow()) return void websocket.terminate()
    isAlive = false
    if (websocket.readyState === websocket.OPEN) websocket.ping()
  }, pingMs).unref()
  websocket
    .on('message', (data, isBinary) => {
      readAtMessage = socket.bytesRead
      unfinished = 0
      options.onMessage(isBinary ? null : (data as Buffer))
    })
    .on('ping', (data) => {
      readAtMessage += controlBytes + data.length
    })
    .on('pong', (data) => {
      isAlive = true
      readAtMessage += controlBytes + data.length
    })
    // The connection closes after it; what was wrong with a frame is the client's.
    .on('error', () => undefined)
    .once('close', () => {
      clearInterval(look)
      options.onClose()
    })
  return {
    send(message) {
      if (websocket.readyState !== websocket.OPEN) return true
      websocket.send(message, { binary: false }, onSent)
      isFull ||= websocket.bufferedAmount > highWaterBytes
      return !isFull
    },
    close: (code) => websocket.close(code),
    terminate: () => websocket.terminate(),
  }
}
