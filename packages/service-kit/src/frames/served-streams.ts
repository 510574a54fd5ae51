import type { FrameConnection } from './frame-connection.ts'
import { type Frame, FrameError, frameTypes, maxOpenStreams } from './frame-format.ts'
import { FramedRequest } from './framed-request.ts'
import { FramedResponse } from './framed-response.ts'
import { decodeRequestHead } from './head-block.ts'

interface ServedStream {
  readonly request: FramedRequest
  readonly response: FramedResponse
}

/** The streams of one connection, on the side of inference. */
export class ServedStreams {
  readonly #connection: FrameConnection
  readonly #handle: (request: FramedRequest, response: FramedResponse) => void
  readonly #open = new Map<number, ServedStream>()
  #last = 0

  constructor(
    connect: (onFrame: (frame: Frame) => void) => FrameConnection,
    handle: (request: FramedRequest, response: FramedResponse) => void,
  ) {
    this.#connection = connect((frame) => this.#onFrame(frame))
    this.#handle = handle
  }

  /** Requests the peer to send no new requests. Those that cross this message are served. */
  goAway(): void {
    this.#connection.send(frameTypes.goAway, 0)
  }

  /** The connection is lost: no client can be answered. */
  close(): void {
    for (const { request, response } of [...this.#open.values()]) {
      request.close()
      response.lose()
    }
  }

  #onFrame({ type, stream, payload }: Frame): void {
    if (type === frameTypes.pong) return
    if (type === frameTypes.request) this.#begin(stream, payload)
    else this.#onStreamFrame({ type, stream, payload })
  }

  #onStreamFrame({ type, stream, payload }: Frame): void {
    if (stream === 0 || stream > this.#last) throw new FrameError('a frame of a stream that was not opened')
    const served = this.#open.get(stream)
    // The answer may be complete while the edge still sends a body that was not needed.
    if (served === undefined) return
    if (type === frameTypes.data) served.request.receive(payload)
    else if (type === frameTypes.end) served.request.finish()
    else if (type === frameTypes.credit) served.response.addCredit(creditOf(payload))
    else if (type === frameTypes.reset) this.#cancel(served)
    else throw new FrameError('a frame that only inference sends')
  }

  #begin(stream: number, payload: Buffer): void {
    if (stream <= this.#last) throw new FrameError('a stream that was opened before')
    if (this.#open.size >= maxOpenStreams) throw new FrameError('too many open streams')
    this.#last = stream
    const request = new FramedRequest(decodeRequestHead(payload), (bytes) => {
      this.#connection.send(frameTypes.credit, stream, creditPayload(bytes))
    })
    const response = new FramedResponse(this.#connection, stream, () => {
      this.#open.delete(stream)
      request.close()
    })
    this.#open.set(stream, { request, response })
    this.#handle(request, response)
  }

  #cancel({ request, response }: ServedStream): void {
    request.close()
    response.close()
  }
}

/** The payload of a frame that grants credit. */
export function creditPayload(bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(bytes, 0)
  return payload
}

/** @throws FrameError for a payload of another length, and for no credit */
export function creditOf(payload: Buffer): number {
  const bytes = payload.length === 4 ? payload.readUInt32BE(0) : 0
  if (bytes === 0) throw new FrameError('a credit of nothing')
  return bytes
}
