import type { Socket } from 'node:net'
import {
  type Frame,
  FrameError,
  type FrameType,
  frameHeadBytes,
  frameTypes,
  maxPayloadBytes,
  maxRecordBytes,
  readFrames,
} from './frame-format.ts'
import { createOpener, createSealer, type Sealer } from './record-mac.ts'
import type { RecordReader } from './record-reader.ts'

export interface ConnectionOptions {
  readonly socket: Socket
  /** The key of the records that this side sends. */
  readonly sealKey: Buffer
  /** The key of the records that the peer sends. */
  readonly openKey: Buffer
  /** Is called with every frame except pings, which are answered here. It may throw FrameError. */
  readonly onFrame: (frame: Frame) => void
}

type OnSent = (wasSent: boolean) => void

const nothing = Buffer.alloc(0)

/** A connection whose peer is proved. It seals and opens records; streams are its owner's. */
export class FrameConnection {
  readonly #socket: Socket
  readonly #sealer: Sealer
  readonly #open: ReturnType<typeof createOpener>
  readonly #onFrame: (frame: Frame) => void
  #queue: Frame[] = []
  #onSent: OnSent[] = []
  #isFlushing = false

  constructor({ socket, sealKey, openKey, onFrame }: ConnectionOptions) {
    this.#socket = socket
    this.#sealer = createSealer(sealKey)
    this.#open = createOpener(openKey)
    this.#onFrame = onFrame
  }

  /**
   * Sends a frame. All frames of one turn of the event loop leave in one write, and usually in one record.
   *
   * @param onSent is called with true when the frame was given to the operating system, with false when the connection
   *   was lost before
   */
  send(type: FrameType, stream: number, payload: Buffer = nothing, onSent?: OnSent): void {
    if (this.#socket.destroyed) {
      if (onSent !== undefined) process.nextTick(onSent, false)
      return
    }
    this.#queue.push({ type, stream, payload })
    if (onSent !== undefined) this.#onSent.push(onSent)
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => this.#flush())
  }

  /** Sends bytes of a body in as many frames as they need. */
  sendData(stream: number, bytes: Buffer, onSent?: OnSent): void {
    let at = 0
    for (; bytes.length - at > maxPayloadBytes; at += maxPayloadBytes) {
      this.send(frameTypes.data, stream, bytes.subarray(at, at + maxPayloadBytes))
    }
    this.send(frameTypes.data, stream, at === 0 ? bytes : bytes.subarray(at), onSent)
  }

  /** Takes a record that arrived. @throws FrameError */
  accept(record: Buffer): void {
    readFrames(this.#open(record), (frame) => {
      if (this.#socket.destroyed) return
      if (frame.type === frameTypes.ping) this.send(frameTypes.pong, 0)
      else this.#onFrame(frame)
    })
  }

  #flush(): void {
    this.#isFlushing = false
    const [queue, onSent] = [this.#queue, this.#onSent]
    this.#queue = []
    this.#onSent = []
    const isOpen = !this.#socket.destroyed
    if (isOpen) {
      this.#socket.cork()
      for (const frames of recordsOf(queue)) {
        for (const piece of this.#sealer.seal(frames)) this.#socket.write(piece, () => this.#sealer.release(piece))
      }
      this.#socket.uncork()
    }
    for (const each of onSent) each(isOpen)
  }
}

/** Divides frames into records that are not too long. */
function recordsOf(frames: readonly Frame[]): readonly (readonly Frame[])[] {
  const records: Frame[][] = []
  let room = 0
  for (const frame of frames) {
    const bytes = frame.payload.length + frameHeadBytes
    if (bytes > room) {
      records.push([])
      room = maxRecordBytes
    }
    records.at(-1)?.push(frame)
    room -= bytes
  }
  return records
}

/** Connects a socket to the reader of its records. A peer that breaks the protocol loses its connection. */
export function readRecords(socket: Socket, reader: RecordReader, onBroken: (error: FrameError) => void): void {
  socket.on('data', (bytes: Buffer) => {
    try {
      if (!socket.destroyed) reader.push(bytes)
    } catch (error) {
      socket.destroy()
      if (!(error instanceof FrameError)) throw error
      onBroken(error)
    }
  })
}
