import { estimateUsage } from '../../pricing/estimate-usage.ts'
import { textOnly } from '../../pricing/prompt-shape.ts'
import { asObject, errorMessageOf, type Fields, isErrorChunk, parseChunk } from '../../wire/chat/chat-chunk.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { frameOf } from '../../wire/messages/message-event.ts'
import { laterMessagesUsage, piecesOfBlock, readMessagesUsage } from '../../wire/messages/read-message.ts'
import type { SseEvent } from '../../wire/sse/read-event.ts'
import type { Usage } from '../../wire/usage.ts'
import type { Charged, StreamTracker, Verdict } from '../surface.ts'
import { createMessageAssembler } from './assemble-message.ts'
import { giveUsage } from './give-usage.ts'
import { messagesTail } from './messages-tail.ts'

/** Follows a message as Anthropic streams it. */
export function createMessagesTracker(): StreamTracker {
  return new Tracker()
}

class Tracker implements StreamTracker {
  done = false
  finished = false
  readonly pieces: string[] = []
  characters = 0
  errorMessage: string | null = null
  readonly #assembler = createMessageAssembler()
  /** Usage as `message_start` spelled it: what is known of the prompt before the end. */
  #startUsage: unknown
  /** Usage as `message_start` and `message_delta` spelled it together; null until the latter has. */
  #saidUsage: Fields | null = null
  /** The JSON of the last `message_delta`. */
  #heldDelta: Buffer | null = null

  /** Before the end a provider tells what the prompt was, but hardly what it generated: that is our own count. */
  get usage(): Usage | null {
    if (this.#saidUsage !== null) return readMessagesUsage(this.#saidUsage)
    const start = readMessagesUsage(this.#startUsage)
    if (start === null || start.promptTokens === 0) return null
    const { pieces, characters } = this
    const seen = { bodyBytes: 0, prompt: textOnly, pieces: pieces.length, characters, streamed: true }
    const { completionTokens } = estimateUsage(seen)
    return { ...start, completionTokens: Math.max(start.completionTokens, completionTokens) }
  }

  tail(charged: Charged): string {
    const reported = charged.reported && this.#saidUsage !== null
    return messagesTail(this.#heldDelta, { ...charged, reported })
  }

  assemble(): Buffer | null {
    const message = this.#assembler.assemble()
    if (message === null) return null
    const { usage: _start, ...rest } = message
    return Buffer.from(JSON.stringify(this.#saidUsage === null ? rest : { ...rest, usage: this.#saidUsage }))
  }

  accept({ data, event, raw, oversized }: SseEvent): Verdict {
    if (this.done) return 'skip'
    if (oversized) return 'malformed'
    if (data === null && event !== 'error') return this.#acceptUnframed(raw.toString().trim())
    const chunk = data === null ? null : (readObject(data)?.body ?? null)
    if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) return this.#fail(chunk)
    if (data === null || chunk === null) return data?.toString().trim() === '' ? 'skip' : 'malformed'
    const type = typeof chunk.type === 'string' ? chunk.type : event
    if (type === null || !/^\w+$/.test(type)) return 'malformed'
    const verdict = this.#acceptEvent(type, chunk, data)
    // Clients go by the name of an event, which not every provider that speaks as Anthropic does writes.
    return verdict === 'forward' && event === null ? Buffer.from(frameOf(type, data.toString())) : verdict
  }

  /** A frame without data is a comment, unless it is a JSON or HTML body that only calls itself a stream. */
  #acceptUnframed(text: string): Verdict {
    if (!text.startsWith('{') && !text.startsWith('<')) return 'forward'
    const body = parseChunk(text)
    return body !== null && isErrorChunk(body) ? this.#fail(body) : 'malformed'
  }

  #acceptEvent(type: string, event: Fields, data: Buffer): Verdict {
    this.#assembler.add(type, event)
    switch (type) {
      case 'message_start':
        this.#startUsage = asObject(event.message)?.usage
        return asObject(this.#startUsage) === null ? Buffer.from(frameOf(type, giveUsage(data).toString())) : 'forward'
      case 'content_block_start':
        return this.#count(asObject(event.content_block))
      case 'content_block_delta':
        return this.#count(asObject(event.delta))
      case 'message_delta':
        return this.#acceptDelta(event, data)
      case 'message_stop':
        this.done = true
        return 'hold'
      default:
        return 'forward'
    }
  }

  #count(written: Fields | null): Verdict {
    for (const piece of piecesOfBlock(written ?? {})) {
      this.pieces.push(piece)
      this.characters += piece.length
    }
    return 'forward'
  }

  /** Only the last `message_delta` is held: should another follow, the one before was not the last. */
  #acceptDelta({ delta, usage }: Fields, data: Buffer): Verdict {
    const before = this.#heldDelta
    this.#heldDelta = data
    const reason = asObject(delta)?.stop_reason
    if (typeof reason === 'string' && reason !== '') this.finished = true
    if (asObject(usage) !== null) this.#saidUsage = laterMessagesUsage(this.#saidUsage ?? this.#startUsage, usage)
    return before === null ? 'hold' : Buffer.from(frameOf('message_delta', giveUsage(before).toString()))
  }

  #fail(chunk: Fields | null): Verdict {
    this.errorMessage = chunk === null ? null : errorMessageOf(chunk)
    return 'error'
  }
}
