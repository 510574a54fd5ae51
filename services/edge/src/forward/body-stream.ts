import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bodyTooLarge } from '../admission/body-limit.ts'

/** The error of a body whose sender disconnected. */
export const clientLeft = new Error('the client disconnected')

/**
 * A request's body, counted while it is sent to the service. It is between the client's connection and the HTTP client,
 * because that one destroys its source when the service answers early. Destroying this stream does not cut the client's
 * connection, on which the answer is still written.
 */
export class BodyStream extends Readable {
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  #bytes = 0

  constructor(request: IncomingMessage, maxBytes: number) {
    super({ highWaterMark: 65_536 })
    this.#request = request
    this.#maxBytes = maxBytes
    // The reader of the stream gets errors. Without a reader they do not matter.
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
    // The rest of the body is discarded, because many clients read the answer only after they sent everything.
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
