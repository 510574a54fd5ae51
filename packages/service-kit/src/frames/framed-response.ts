import { EventEmitter } from 'node:events'
import { type OutgoingHttpHeaders, validateHeaderValue } from 'node:http'
import type { ServedResponse } from '../http/served.ts'
import type { FrameConnection } from './frame-connection.ts'
import { answerCreditBytes, FrameError, frameTypes } from './frame-format.ts'
import { encodeHead } from './head-block.ts'

interface WaitingBytes {
  readonly bytes: Buffer
  readonly onSent: (() => void) | undefined
}

const nothing = Buffer.alloc(0)

/** The answer to a request that arrived in frames. Bytes for which the edge gave no credit wait. */
export class FramedResponse extends EventEmitter implements ServedResponse {
  statusCode = 200
  headersSent = false
  destroyed = false
  isPeerLost = false
  readonly #connection: FrameConnection
  readonly #stream: number
  readonly #onOver: () => void
  readonly #headers = new Map<string, string | readonly string[]>()
  /** The head, until it is sent with the first bytes of the body. */
  #head: Buffer | null = null
  #waiting: WaitingBytes[] = []
  #credit = answerCreditBytes
  #hasEnded = false
  #isOver = false

  /** @param onOver is called once, when nothing more is sent on the stream */
  constructor(connection: FrameConnection, stream: number, onOver: () => void) {
    super()
    this.#connection = connection
    this.#stream = stream
    this.#onOver = onOver
  }

  setHeader(name: string, value: string): void {
    if (this.headersSent) throw new Error(`the header ${name} is set after the head was written`)
    this.#put(name, value)
  }

  writeHead(status: number, headers: OutgoingHttpHeaders): void {
    if (this.headersSent) throw new Error('the head is written twice')
    for (const name in headers) this.#put(name, headers[name])
    this.statusCode = status
    const lines = [String(status)]
    for (const [name, value] of this.#headers) {
      if (typeof value === 'string') lines.push(name, value)
      else for (const each of value) lines.push(name, each)
    }
    this.#head = encodeHead(lines)
    if (this.#head === null) throw new RangeError('the head of an answer is too large')
    this.headersSent = true
  }

  write(data: Buffer | string, onSent?: () => void): boolean {
    const bytes = bufferOf(data)
    if (this.#isOver || this.#hasEnded) {
      if (onSent !== undefined) process.nextTick(onSent)
      return false
    }
    this.#sendHead()
    this.#waiting.push({ bytes, onSent })
    this.#sendWaiting()
    return this.#waiting.length === 0
  }

  end(data?: Buffer | string): void {
    if (this.#isOver || this.#hasEnded) return
    this.#sendHead()
    const bytes = data === undefined ? nothing : bufferOf(data)
    if (bytes.length > 0) this.#waiting.push({ bytes, onSent: undefined })
    this.#hasEnded = true
    this.#sendWaiting()
  }

  destroy(): void {
    if (this.#isOver) return
    this.#connection.send(frameTypes.reset, this.#stream)
    this.close()
  }

  /** The edge may be sent that many more bytes. @throws FrameError for an impossible number */
  addCredit(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > 2 ** 31) throw new FrameError('more credit than a stream may have')
    const waited = this.#waiting.length > 0
    this.#sendWaiting()
    if (waited && this.#waiting.length === 0 && !this.#isOver) this.emit('drain')
  }

  /** Nothing more can be sent: the answer is complete, it was cut, or the edge is not interested any more. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.destroyed = true
    for (const { onSent } of this.#waiting.splice(0)) if (onSent !== undefined) process.nextTick(onSent)
    this.#onOver()
    this.emit('close')
  }

  /** The connection to the edge is lost, whatever the client does. */
  lose(): void {
    this.isPeerLost = !this.#isOver
    this.close()
  }

  #put(name: string, value: OutgoingHttpHeaders[string]): void {
    if (value === undefined) return
    const kept = Array.isArray(value) ? value : String(value)
    if (typeof kept === 'string') validateHeaderValue(name, kept)
    else for (const each of kept) validateHeaderValue(name, each)
    this.#headers.set(name.toLowerCase(), kept)
  }

  #sendHead(): void {
    if (!this.headersSent) this.writeHead(this.statusCode, {})
    if (this.#head === null) return
    this.#connection.send(frameTypes.answer, this.#stream, this.#head)
    this.#head = null
  }

  #sendWaiting(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#credit > 0; first = this.#waiting[0]) {
      const { bytes, onSent } = first
      if (bytes.length > this.#credit) {
        this.#connection.sendData(this.#stream, bytes.subarray(0, this.#credit))
        this.#waiting[0] = { bytes: bytes.subarray(this.#credit), onSent }
        this.#credit = 0
        return
      }
      this.#waiting.shift()
      this.#credit -= bytes.length
      this.#connection.sendData(this.#stream, bytes, onSent && (() => onSent()))
    }
    if (!this.#hasEnded || this.#waiting.length > 0 || this.#isOver) return
    this.#connection.send(frameTypes.end, this.#stream)
    // As with Node's HTTP server, `close` follows after the handler returned.
    process.nextTick(() => this.close())
  }
}

function bufferOf(data: Buffer | string): Buffer {
  return typeof data === 'string' ? Buffer.from(data) : data
}
