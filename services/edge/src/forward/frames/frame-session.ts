import type { Socket } from 'node:net'
import type { FrameConnection } from '@ratchet/service-kit/frames/frame-connection'
import { type Frame, FrameError, frameTypes, maxOpenStreams } from '@ratchet/service-kit/frames/frame-format'
import { encodeHead } from '@ratchet/service-kit/frames/head-block'
import { BodyStream } from '../body-stream.ts'
import type { AnswerHandler, ForwardedCall } from '../forwarded-call.ts'
import { ClientStream } from './client-stream.ts'

const pingEveryMs = 2_000
const maxStream = 2 ** 32 - 1

/**
 * The streams of one connection, on the side of the edge. A peer that answers no ping gets no new requests until it sends
 * something again; running ones stay, because a process that was stopped for a while continues them.
 */
export class FrameSession {
  readonly #connection: FrameConnection
  readonly #socket: Socket
  readonly #onLeaving: () => void
  readonly #open = new Map<number, ClientStream>()
  readonly #pings: NodeJS.Timeout
  #last = 0
  #hasReceived = true
  #isSilent = false
  #isLeaving = false
  #onEmpty: (() => void) | null = null

  /** @param onLeaving the connection takes no new requests any more, and ends with its running ones */
  constructor(connection: FrameConnection, socket: Socket, onLeaving: () => void) {
    this.#connection = connection
    this.#socket = socket
    this.#onLeaving = onLeaving
    this.#pings = setInterval(() => this.#ping(), pingEveryMs).unref()
  }

  /** Whether the connection was closed in order, or will be. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  dispatch(call: ForwardedCall, handler: AnswerHandler): boolean {
    if (this.#isLeaving || this.#isSilent || !this.#socket.writable || this.#open.size >= maxOpenStreams) return false
    const head = encodeHead(headLines(call))
    if (head === null) return false
    this.#last += 1
    const id = this.#last
    const stream = new ClientStream({ connection: this.#connection, id, onOver: () => this.#remove(id) }, call, handler)
    this.#open.set(id, stream)
    stream.start(head, call.body)
    if (id === maxStream) this.#leave()
    return true
  }

  /** @throws FrameError for a frame that inference may not send */
  receive({ type, stream, payload }: Frame): void {
    this.#hasReceived = true
    this.#isSilent = false
    if (type === frameTypes.pong) return
    if (type === frameTypes.goAway) return void this.#leave()
    if (type === frameTypes.request || stream === 0 || stream > this.#last) {
      throw new FrameError('a frame that only the edge sends, or of no stream')
    }
    // The exchange may have been ended here while the frame was on its way.
    this.#open.get(stream)?.receive(type, payload)
  }

  /** The connection is lost, and the running requests with it. */
  onLost(cause: Error): void {
    clearInterval(this.#pings)
    for (const stream of [...this.#open.values()]) stream.onLost(cause)
    this.#open.clear()
    this.#onEmpty?.()
  }

  /** Resolves when the running requests have ended and the connection is closed. */
  async finish(): Promise<void> {
    this.#isLeaving = true
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve))
    clearInterval(this.#pings)
    this.#socket.destroySoon()
  }

  /** Loses the connection if requests are running on it. Resolves when it is closed. */
  async cut(): Promise<void> {
    if (this.#open.size > 0) this.#socket.destroy()
    await this.finish()
  }

  #leave(): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#onLeaving()
    if (this.#open.size === 0) this.#endSoon()
  }

  /** Behind the last frames of this turn. */
  #endSoon(): void {
    setImmediate(() => this.#socket.end())
  }

  #remove(id: number): void {
    this.#open.delete(id)
    if (this.#open.size > 0) return
    this.#onEmpty?.()
    if (this.#isLeaving) this.#endSoon()
  }

  #ping(): void {
    if (!this.#hasReceived) this.#isSilent = true
    this.#hasReceived = false
    this.#connection.send(frameTypes.ping, 0)
  }
}

/** The length of a body is in its headers, as in HTTP. */
function headLines({ method, path, headers, body }: ForwardedCall): string[] {
  const lines = [method, path, ...headers]
  if (!(body instanceof BodyStream)) lines.push('content-length', String(body?.length ?? 0))
  return lines
}
