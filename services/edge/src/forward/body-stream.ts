import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { bodyTooLarge } from '../admission/body-limit.ts'

/** The error of a body whose sender disconnected. */
export const clientLeft = new Error('the client disconnected')

export interface BodyStreamOptions {
  /** Maximum bytes, as they are sent. */
  readonly maxBytes: number
  /** The declared length; null when none was declared, or when it is that of the compressed body. */
  readonly length: number | null
  /** Maximum bytes after decompression; null for a body that is not compressed. */
  readonly maxInflatedBytes: number | null
}

/**
 * A request's body, counted while it is sent to the service. It is between the client's connection and the HTTP client,
 * because that one destroys its source when the service answers early. Destroying this stream does not cut the client's
 * connection, on which the answer is still written. A compressed body is decompressed here, as fast as the service reads
 * it, and counted on both sides: a small body must not become a large one, and an endless one must not become nothing.
 */
export class BodyStream extends Readable {
  readonly length: number | null
  readonly #request: IncomingMessage
  readonly #maxBytes: number
  readonly #maxInflatedBytes: number
  readonly #gunzip: Gunzip | null
  #bytes = 0
  #inflatedBytes = 0

  constructor(request: IncomingMessage, { maxBytes, length, maxInflatedBytes }: BodyStreamOptions) {
    super({ highWaterMark: 65_536 })
    this.length = length
    this.#request = request
    this.#maxBytes = maxBytes
    this.#maxInflatedBytes = maxInflatedBytes ?? maxBytes
    this.#gunzip = maxInflatedBytes === null ? null : createGunzip()
    // The reader of the stream gets errors. Without a reader they do not matter.
    this.on('error', () => undefined)
  }

  override _construct(ready: (error?: Error) => void): void {
    if (this.#request.destroyed && !this.#request.readableEnded) return void ready(clientLeft)
    this.#gunzip
      ?.on('data', this.#onInflated)
      .once('end', () => this.push(null))
      .once('error', () => this.destroy(notGzip()))
      .on('drain', () => this.#request.resume())
    this.#request.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose)
    ready()
  }

  override _read(): void {
    if (this.#gunzip === null) this.#request.resume()
    else this.#gunzip.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    this.#gunzip?.removeAllListeners('data').destroy()
    // The rest of the body is discarded, because many clients read the answer only after they sent everything.
    this.#request.resume()
    done(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) return void this.destroy(bodyTooLarge(this.#maxBytes))
    const takesMore = this.#gunzip === null ? this.push(chunk) : this.#gunzip.write(chunk)
    if (!takesMore) this.#request.pause()
  }

  readonly #onInflated = (chunk: Buffer): void => {
    this.#inflatedBytes += chunk.length
    if (this.#inflatedBytes > this.#maxInflatedBytes) return void this.destroy(bodyTooLarge(this.#maxInflatedBytes))
    if (!this.push(chunk)) this.#gunzip?.pause()
  }

  readonly #onEnd = (): void => {
    this.#request.off('close', this.#onClose)
    if (this.#gunzip === null) this.push(null)
    else this.#gunzip.end()
  }

  readonly #onClose = (): void => {
    this.destroy(clientLeft)
  }
}

function notGzip(): ServiceError {
  return new ServiceError('invalid_request', 'The body is not valid gzip.', { param: 'body' })
}
