import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { maxInferenceBodyBytes } from '@ratchet/contracts/calls-model'
import { createSseReader, type SseReader } from '@ratchet/service-kit/sse/read-events'
import type { Fields } from '@ratchet/service-kit/values/json'
import type { EventMessages } from './event-messages.ts'

export interface TurnAnswerOptions {
  readonly messages: EventMessages
  /** @returns false when the client does not read; call `drained` when it does again */
  send(message: Buffer): boolean
  /** The answer is complete. */
  onEnd(status: number): void
  /** The answer is incomplete, and no event can say so. */
  onCut(): void
}

/** Inference limits its own frames; this only bounds what waits for the end of one. */
const maxEventBytes = 2 * maxInferenceBodyBytes

/** Answers a turn: what is written as HTTP becomes messages. Never has a connection of its own. */
export class TurnAnswer extends ServerResponse {
  readonly #options: TurnAnswerOptions
  #headers: Fields = {}
  #reader: SseReader | null = null
  #body: Buffer[] = []
  #isBegun = false
  #isOver = false

  constructor(request: IncomingMessage, options: TurnAnswerOptions) {
    super(request)
    this.#options = options
    Object.defineProperty(this, 'headersSent', { get: () => this.#isBegun })
    Object.defineProperty(this, 'destroyed', { get: () => this.#isOver })
  }

  override writeHead(status: number, ...given: unknown[]): this {
    this.#isBegun = true
    this.statusCode = status
    const headers = lowerCased({ ...this.getHeaders(), ...headersIn(given.at(-1)) })
    const isStream = String(headers['content-type']).startsWith('text/event-stream')
    this.#reader = isStream ? createSseReader({ maxEventBytes }) : null
    this.#headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !ofHttp.test(name)))
    return this
  }

  override write(chunk: Buffer | string): boolean {
    if (this.#isOver) return true
    const bytes = Buffer.from(chunk)
    if (this.#reader === null) this.#body.push(bytes)
    return this.#sendAll(this.#reader?.push(bytes) ?? [])
  }

  override end(...given: unknown[]): this {
    if (this.#isOver) return this
    const [chunk] = given
    if (Buffer.isBuffer(chunk) || typeof chunk === 'string') this.write(chunk)
    const last = this.#reader?.end() ?? null
    if (last !== null) this.#sendAll([last])
    const { messages, send, onEnd } = this.#options
    if (this.#reader === null) send(messages.ofError(this.statusCode, Buffer.concat(this.#body), this.#headers))
    this.#close()
    onEnd(this.statusCode)
    return this
  }

  override flushHeaders(): void {}

  override destroy(): this {
    if (this.#isOver) return this
    this.#close()
    const { messages, onEnd, onCut } = this.#options
    if (messages.end.saidSo) onEnd(this.statusCode)
    else onCut()
    return this
  }

  /** The client reads again. */
  drained(): void {
    if (!this.#isOver) this.emit('drain')
  }

  /** The client disconnected. */
  leave(): void {
    if (!this.#isOver) this.#close()
  }

  #sendAll(events: ReturnType<SseReader['push']>): boolean {
    const { messages, send } = this.#options
    const sent = events.map((event) => messages.ofEvent(event, this.#headers)).filter((message) => message !== null)
    return sent.map(send).every((isRead) => isRead)
  }

  #close(): void {
    this.#isOver = true
    this.#body = []
    this.emit('close')
  }
}

/** Alternating names and values, or an object. */
function headersIn(given: unknown): OutgoingHttpHeaders {
  if (!Array.isArray(given)) return typeof given === 'object' && given !== null ? { ...given } : {}
  const pairs = given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1]]] : []))
  return Object.fromEntries(pairs)
}

/** Headers about HTTP itself, which mean nothing on a WebSocket. */
const ofHttp =
  /^(?:content-type|content-length|cache-control|x-content-type-options|x-accel-buffering|connection|vary|access-control-.*)$/

function lowerCased(headers: OutgoingHttpHeaders): Fields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
