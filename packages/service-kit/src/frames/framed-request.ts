import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { ServedRequest } from '../http/served.ts'
import { FrameError, requestCreditBytes } from './frame-format.ts'
import type { RequestHead } from './head-block.ts'

/** A request that arrived in frames. Its body waits until a handler listens for `data`, and while it is paused. */
export class FramedRequest extends EventEmitter implements ServedRequest {
  id = ''
  declare routeName?: string
  readonly method: string
  readonly originalUrl: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly #grant: (bytes: number) => void
  #waiting: Buffer[] = []
  #isFlowing = false
  #hasEnded = false
  #isOver = false
  /** Bytes that the edge may still send. */
  #credit = requestCreditBytes
  /** Bytes that were delivered and not granted again yet. */
  #delivered = 0

  /** @param grant allows the edge to send that many more bytes of the body */
  constructor({ method, target, headers }: RequestHead, grant: (bytes: number) => void) {
    super()
    this.method = method
    this.originalUrl = target
    const query = target.indexOf('?')
    this.path = query === -1 ? target : target.slice(0, query)
    this.headers = headers
    this.#grant = grant
  }

  override on(event: string, listener: (...values: never[]) => void): this {
    super.on(event, listener as (...values: unknown[]) => void)
    // As with Node's streams: whoever listens for the bytes gets those that arrived already.
    if (event === 'data' && !this.#isFlowing) {
      this.#isFlowing = true
      if (this.#waiting.length > 0 || this.#hasEnded) process.nextTick(() => this.#deliver())
    }
    return this
  }

  pause(): void {
    this.#isFlowing = false
  }

  /** @throws FrameError for more bytes than were granted */
  receive(bytes: Buffer): void {
    this.#credit -= bytes.length
    if (this.#credit < 0 || this.#hasEnded) throw new FrameError('more of a body than its credit')
    this.#waiting.push(bytes)
    this.#deliver()
  }

  /** The body is complete. */
  finish(): void {
    this.#hasEnded = true
    this.#deliver()
  }

  /** Nothing more arrives: the answer is complete, or the edge ended the exchange. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting = []
    this.emit('close')
  }

  #deliver(): void {
    while (this.#isFlowing && !this.#isOver) {
      const bytes = this.#waiting.shift()
      if (bytes === undefined) break
      this.emit('data', bytes)
      this.#replace(bytes.length)
    }
    if (!this.#isFlowing || this.#isOver || !this.#hasEnded || this.#waiting.length > 0) return
    this.#isFlowing = false
    this.emit('end')
  }

  #replace(bytes: number): void {
    this.#delivered += bytes
    if (this.#hasEnded || this.#delivered < requestCreditBytes / 2) return
    this.#grant(this.#delivered)
    this.#credit += this.#delivered
    this.#delivered = 0
  }
}
