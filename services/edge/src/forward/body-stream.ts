import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bodyTooLarge } from '../domain/body-limit.ts'

/** What ends a body whose sender is gone. */
export const clientLeft = new Error('the client left')

/**
 * A request's body on its way up, counted. It stands between the client's connection and whoever
 * sends the body on, because that one destroys its source when the service answers early: this
 * stream may be destroyed without cutting the client off from its answer.
 */
export class BodyStream extends Readable {
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  #bytes = 0

  constructor(request: IncomingMessage, maxBytes: number) {
    super({ highWaterMark: 65_536 })
    this.#request = request
    this.#maxBytes = maxBytes
    // Whoever reads the stream hears of errors; with no reader left they concern nobody.
    this.on('error', () => undefined)
  }

  override _construct(ready: (error?: Error) => void): void {
    if (this.#request.destroyed && !this.#request.readableEnded) return void ready(clientLeft)
    this.#request.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose)
    ready()
  }

  override _read(): void {
    this.#request.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    // What the client still sends is thrown away, so that it gets to read its answer.
    this.#request.resume()
    done(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return void this.destroy(bodyTooLarge(this.#maxBytes))
    if (!this.push(chunk)) this.#request.pause()
  }

  readonly #onEnd = (): void => {
    this.#request.off('close', this.#onClose)
    this.push(null)
  }

  readonly #onClose = (): void => {
    this.destroy(clientLeft)
  }
}
