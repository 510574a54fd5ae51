import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { errorMessageOf } from '../../wire/chat/chat-chunk.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, type ChunkWriter, createChunkWriter } from '../../wire/chat/write-chat.ts'
import { eventLimits } from '../../wire/json/parse-event.ts'
import { laterMessagesUsage, readMessagesUsage } from '../../wire/messages/read-message.ts'
import type { StreamConverter, StreamFacts } from '../../wire/stream-converter.ts'
import type { Usage } from '../../wire/usage.ts'
import { createThoughtRecorder } from '../thought-recorder.ts'
import { headOf, refusalOf } from './convert-reply.ts'
import { finishReasonOf } from './stop-reason.ts'

/**
 * Converts the events of a streamed message to chunks of a chat completion.
 *
 * @param fallback values for what the message does not state
 */
export function createStreamConverter(fallback: ChatHead): StreamConverter {
  return new Converter(fallback)
}

const maxEventBytes = mebibyte
/**
 * Maximum number of open content blocks. Anthropic has one at a time; it bounds the memory that a faulty provider can
 * fill.
 */
const maxOpenBlocks = 1_024
const nothing = Buffer.alloc(0)
const unreadable = 'The provider sent a stream that cannot be read.'

/** A tool call whose content block is open. */
interface OpenCall {
  readonly index: number
  hasArguments: boolean
}

class Converter implements StreamConverter {
  readonly #fallback: ChatHead
  readonly #reader = createSseReader({ maxEventBytes })
  #writer: ChunkWriter
  readonly #open = new Map<unknown, OpenCall>()
  readonly #thoughts = createThoughtRecorder()
  #calls = 0
  #usage: Fields = {}
  #started = false
  #hasBlock = false
  #finished = false
  #over = false

  constructor(fallback: ChatHead) {
    this.#fallback = fallback
    this.#writer = createChunkWriter(fallback)
  }

  get facts(): StreamFacts {
    return this
  }

  /** Before the end it has the prompt, but few or none of the answer's tokens. */
  get usage(): Usage | null {
    return readMessagesUsage(this.#usage)
  }

  /** Encrypted reasoning is written with the end of the answer. */
  get hiddenTokens(): number {
    return this.#finished ? 0 : this.#thoughts.encryptedTokens
  }

  push(chunk: Buffer): Buffer {
    return this.#over ? nothing : this.#convert(this.#reader.push(chunk))
  }

  end(): Buffer {
    const last = this.#reader.end()
    return last === null || this.#over ? nothing : this.#convert([last])
  }

  #convert(events: readonly SseEvent[]): Buffer {
    let text = ''
    for (const event of events) {
      if (this.#over) break
      text += this.#convertFrame(event)
    }
    return Buffer.from(text)
  }

  #convertFrame({ data, event, raw, oversized }: SseEvent): string {
    if (oversized) return this.#fail(unreadable)
    if (data === null) return /^[{<[]/.test(raw.toString().trim()) ? this.#fail(unreadable) : '' // otherwise a comment
    const body = readObject(data, eventLimits)?.body ?? null
    if (body === null && event === 'ping') return ''
    return body === null ? this.#fail(unreadable) : this.#convertEvent(body)
  }

  /** Events of other types have no equivalent in a chat completion. */
  #convertEvent(event: Fields): string {
    switch (event.type) {
      case 'message_start':
        return this.#start(asObject(event.message) ?? {})
      case 'content_block_start':
        return this.#openBlock(event)
      case 'content_block_delta':
        return this.#convertDelta(event)
      case 'content_block_stop':
        return this.#closeBlock(event)
      case 'message_delta':
        return this.#convertEnding(event)
      case 'message_stop':
        this.#over = true
        return this.#writer.done()
      case 'error':
        return this.#fail(errorMessageOf({ error: asObject(event.error)?.message }) ?? 'The provider failed.')
      default:
        return ''
    }
  }

  /** A start that is repeated after content begins another message, which is not spliced into the first one. */
  #start(message: Fields): string {
    if (this.#started) return this.#hasBlock ? this.#fail(unreadable) : ''
    this.#started = true
    this.#writer = createChunkWriter(headOf(message, this.#fallback))
    this.#usage = laterMessagesUsage(null, message.usage)
    return this.#writer.role()
  }

  #openBlock({ content_block, index: block }: Fields): string {
    this.#hasBlock = true
    const begun = asObject(content_block) ?? {}
    const { type, id, name, input, text, thinking } = begun
    this.#thoughts.begin(block, begun)
    if (type !== 'tool_use') return this.#say({ text, thinking })
    if (typeof id !== 'string' || typeof name !== 'string' || this.#open.size >= maxOpenBlocks) {
      return this.#fail(unreadable)
    }
    const index = this.#calls
    this.#calls += 1
    const whole = Object.keys(asObject(input) ?? {}).length > 0 // not documented, but nothing is lost this way
    this.#open.set(block, { index, hasArguments: whole })
    const frames = this.#writer.toolCall(index, { id, name })
    return whole ? frames + this.#writer.toolArguments(index, JSON.stringify(input)) : frames
  }

  #convertDelta({ delta, index: block }: Fields): string {
    const given = asObject(delta) ?? {}
    const { text, thinking, partial_json: piece } = given
    this.#thoughts.add(block, given)
    const call = this.#open.get(block)
    if (call === undefined || !isPiece(piece)) return this.#say({ text, thinking })
    call.hasArguments = true
    return this.#writer.toolArguments(call.index, piece)
  }

  #say({ text, thinking }: Fields): string {
    if (isPiece(thinking)) return this.#writer.reasoning(thinking)
    return isPiece(text) ? this.#writer.text(text) : ''
  }

  /** A call without arguments has no deltas here, but `{}` in a chat completion. */
  #closeBlock({ index: block }: Fields): string {
    const call = this.#open.get(block)
    this.#open.delete(block)
    return call === undefined || call.hasArguments ? '' : this.#writer.toolArguments(call.index, '{}')
  }

  #convertEnding({ delta, usage }: Fields): string {
    const ending = asObject(delta) ?? {}
    this.#usage = laterMessagesUsage(this.#usage, usage)
    const { stop_reason: reason } = ending
    if (typeof reason !== 'string' || this.#finished) return this.#count(usage)
    this.#finished = true
    const refusal = refusalOf(ending)
    const refused = refusal === null ? '' : this.#writer.refusal(refusal)
    const details = this.#thoughts.details()
    const thought = details.length === 0 ? '' : this.#writer.reasoningDetails(details)
    return thought + refused + this.#writer.finish(finishReasonOf(reason)) + this.#count(usage)
  }

  /** The usage up to the end. The start of a message states only the tokens that came before it. */
  #count(reported: unknown): string {
    const usage = asObject(reported) === null || !this.#finished ? null : readMessagesUsage(this.#usage)
    return usage === null ? '' : this.#writer.usage(usage)
  }

  #fail(message: string): string {
    this.#over = true
    return this.#writer.error(message)
  }
}

function isPiece(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
