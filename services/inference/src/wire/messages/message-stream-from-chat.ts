import { asObject, errorMessageOf, type Fields, isErrorChunk, parseChunk, usageOf } from '../chat/chat-chunk.ts'
import { readUsage } from '../chat/read-usage.ts'
import type { ProviderRequest } from '../provider.ts'
import type { SseEvent } from '../sse/read-event.ts'
import { createSseReader } from '../sse/read-events.ts'
import type { StreamConverter } from '../stream-converter.ts'
import { messageEvent } from './message-event.ts'
import { createMessageTeller, type MessageTeller } from './message-writer.ts'

/** Turns a chat completion's stream into the stream of a message. */
export function messageStreamFromChat(request: ProviderRequest): StreamConverter {
  return new Converter(createMessageTeller(request))
}

const maxEventBytes = 1_048_576

class Converter implements StreamConverter {
  readonly #teller: MessageTeller
  readonly #reader = createSseReader({ maxEventBytes })
  /** Everything was said, or nothing more can be. */
  #isOver = false

  constructor(teller: MessageTeller) {
    this.#teller = teller
  }

  push(chunk: Buffer): Buffer {
    return Buffer.from(this.#tell(this.#reader.push(chunk)))
  }

  /** Without its end mark, and without a reason for its end, the stream was broken off: nothing makes it whole. */
  end(): Buffer {
    const rest = this.#reader.end()
    const frames = rest === null ? '' : this.#tell([rest])
    return Buffer.from(this.#teller.hasReason ? frames + this.#end() : frames)
  }

  #tell(events: readonly SseEvent[]): string {
    let frames = ''
    for (const event of events) if (!this.#isOver) frames += this.#tellEvent(event)
    return frames
  }

  #tellEvent({ data, event, raw, oversized }: SseEvent): string {
    if (oversized) return this.#fail(null)
    const text = (data ?? raw).toString().trim()
    if (data === null && event !== 'error' && !/^[{<]/.test(text)) return '' // a comment
    if (text === '') return ''
    if (data !== null && text.startsWith('[DONE]')) return this.#end()
    const chunk = data?.[0] === openBracket ? null : parseChunk(text)
    const isChunk = data !== null && event !== 'error' && chunk !== null && !isErrorChunk(chunk)
    return isChunk ? this.#tellChunk(chunk) : this.#fail(chunk)
  }

  #tellChunk(chunk: Fields): string {
    const choices = chunk.choices ?? []
    if (!Array.isArray(choices)) return this.#fail(null)
    const usage = readUsage(usageOf(chunk))
    if (usage !== null) this.#teller.noteUsage(usage)
    const ours = choices.map(asObject).find((choice) => (choice?.index ?? 0) === 0)
    return this.#teller.begin(chunk.model) + (ours === undefined || ours === null ? '' : this.#teller.report(ours))
  }

  #end(): string {
    if (this.#isOver) return ''
    this.#isOver = true
    return this.#teller.end()
  }

  #fail(chunk: Fields | null): string {
    this.#isOver = true
    const message = (chunk === null ? null : errorMessageOf(chunk)) ?? 'The provider sent what cannot be read.'
    return messageEvent('error', { error: { type: 'api_error', message } })
  }
}

const openBracket = 0x5b
