import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader, type SseReader } from '@ratchet/service-kit/sse/read-events'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { errorMessageOf, isErrorChunk, parseChunk, usageOf } from '../chat/chat-chunk.ts'
import { readUsage } from '../chat/read-usage.ts'
import { parseEvent } from '../json/parse-event.ts'
import type { ProviderRequest } from '../provider.ts'
import type { StreamConverter, StreamFacts } from '../stream-converter.ts'
import { messageEvent } from './message-event.ts'
import { createMessageStreamWriter, type MessageStreamWriter } from './message-writer.ts'

/** Translates the stream of a chat completion into the stream of a message. */
export function messageStreamFromChat(request: ProviderRequest): StreamConverter {
  return new Converter(request)
}

const maxEventBytes = mebibyte

class Converter implements StreamConverter {
  readonly #writer: MessageStreamWriter
  readonly #reader: SseReader
  /** True when the last frame was written, so that later input is ignored. */
  #isOver = false

  constructor(request: ProviderRequest) {
    this.#writer = createMessageStreamWriter(request)
    this.#reader = createSseReader({ maxEventBytes, reserve: request.limits.reserve })
  }

  get facts(): StreamFacts {
    return this.#writer
  }

  push(chunk: Buffer): Buffer {
    return Buffer.from(this.#convert(this.#reader.push(chunk)))
  }

  /** A stream without its last frame and without a finish reason was broken off, so it gets no end. */
  end(): Buffer {
    const rest = this.#reader.end()
    const frames = rest === null ? '' : this.#convert([rest])
    return Buffer.from(this.#writer.hasReason ? frames + this.#end() : frames)
  }

  #convert(events: readonly SseEvent[]): string {
    let frames = ''
    for (const event of events) if (!this.#isOver) frames += this.#writeEvent(event)
    return frames
  }

  #writeEvent({ data, event, raw, oversized }: SseEvent): string {
    if (oversized) return this.#fail(null)
    const text = (data ?? raw).toString().trim()
    if (data === null && event !== 'error' && !/^[{<]/.test(text)) return '' // a comment
    if (text === '') return ''
    if (data !== null && text.startsWith('[DONE]')) return this.#end()
    const chunk = data?.[0] === openBracket ? null : data === null ? parseChunk(text) : parseEvent(data)
    const isChunk = data !== null && event !== 'error' && chunk !== null && !isErrorChunk(chunk)
    return isChunk ? this.#writeChunk(chunk) : this.#fail(chunk)
  }

  #writeChunk(chunk: Fields): string {
    const choices = chunk.choices ?? []
    if (!Array.isArray(choices)) return this.#fail(null)
    const ours = choices.map(asObject).find((choice) => (choice?.index ?? 0) === 0)
    const frames =
      this.#writer.begin(chunk.model) + (ours === undefined || ours === null ? '' : this.#writer.report(ours))
    const usage = readUsage(usageOf(chunk))
    if (usage !== null) this.#writer.noteUsage(usage)
    return this.#writer.isFull ? this.#fail(null) : frames
  }

  #end(): string {
    if (this.#isOver) return ''
    this.#isOver = true
    return this.#writer.end()
  }

  #fail(chunk: Fields | null): string {
    this.#isOver = true
    const message = (chunk === null ? null : errorMessageOf(chunk)) ?? 'The provider sent a stream that cannot be read.'
    return messageEvent('error', { error: { type: 'api_error', message } })
  }
}

const openBracket = 0x5b
