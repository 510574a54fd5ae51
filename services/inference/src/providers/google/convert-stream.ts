import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { asObject } from '@ratchet/service-kit/values/json'
import { errorMessageOf, isErrorChunk } from '../../wire/chat/chat-chunk.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, type ChunkWriter, createChunkWriter } from '../../wire/chat/write-chat.ts'
import { eventLimits, isExcessive } from '../../wire/json/parse-event.ts'
import type { StreamConverter, StreamFacts } from '../../wire/stream-converter.ts'
import type { Usage } from '../../wire/usage.ts'
import { headOf } from './convert-reply.ts'
import { finishReasonOf } from './finish-reason.ts'
import { type Answer, readAnswer, type Said, toolCallOf } from './read-answer.ts'

/**
 * Converts a stream of `streamGenerateContent` to chat completion chunks. It ends only with the connection, and its
 * usage grows from chunk to chunk, so the finish reason, the usage and `[DONE]` are written last. A stream without a
 * finish reason gets none of them.
 */
export function createStreamConverter(fallback: ChatHead): StreamConverter {
  return new Converter(fallback)
}

/** Google sends a call in one event, however long its arguments are. */
const maxEventBytes = 4 * mebibyte
const nothing = Buffer.alloc(0)
const unreadable = 'The provider sent a stream that cannot be read.'

class Converter implements StreamConverter {
  readonly #fallback: ChatHead
  readonly #reader = createSseReader({ maxEventBytes })
  #writer: ChunkWriter | null = null
  #hasBegun = false
  #calls = 0
  #finishReason: string | null = null
  /** Grows from event to event, and includes thoughts. */
  usage: Usage | null = null
  /** True when content followed the usage, which is then not that of the complete answer. */
  #isUsageOld = false
  readonly hiddenTokens = 0
  #failed = false
  isUnusable = false

  constructor(fallback: ChatHead) {
    this.#fallback = fallback
  }

  get facts(): StreamFacts {
    return this
  }

  push(chunk: Buffer): Buffer {
    if (this.#failed) return nothing
    return Buffer.from(this.#convert(this.#reader.push(chunk)))
  }

  end(): Buffer {
    const last = this.#reader.end()
    const text = last === null ? '' : this.#convert([last])
    return Buffer.from(text + this.#finish())
  }

  #convert(events: readonly SseEvent[]): string {
    let text = ''
    for (const event of events) {
      if (this.#failed) break
      text += this.#convertEvent(event)
    }
    return text
  }

  #convertEvent({ data, raw, oversized }: SseEvent): string {
    if (oversized) return this.#fail(unreadable)
    if (data === null) return /^[{<[]/.test(raw.toString().trim()) ? this.#fail(unreadable) : '' // otherwise a comment
    if (data.length === 0) return ''
    const body = readObject(data, eventLimits)?.body ?? null
    if (body !== null && isErrorChunk(body)) {
      return this.#fail(errorMessageOf({ error: asObject(body.error)?.message }) ?? 'The provider failed.')
    }
    const answer = body === null ? null : readAnswer(body)
    if (answer !== null) return this.#convertAnswer(answer)
    this.isUnusable = isExcessive(data)
    return this.#fail(unreadable)
  }

  #convertAnswer(answer: Answer): string {
    this.#finishReason = answer.finishReason ?? this.#finishReason
    this.usage = answer.usage ?? this.usage
    this.#isUsageOld = answer.usage === null && (this.#isUsageOld || answer.said.length > 0)
    this.#writer ??= createChunkWriter(headOf(answer, this.#fallback))
    let text = ''
    for (const said of answer.said) text += this.#begin(this.#writer) + this.#convertSaid(this.#writer, said)
    return text
  }

  /** Begins only when there is content, because an answer that fails before that can be retried. */
  #begin(writer: ChunkWriter): string {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    return writer.role()
  }

  #convertSaid(writer: ChunkWriter, said: Said): string {
    if (said.kind !== 'call') return said.kind === 'text' ? writer.text(said.text) : writer.reasoning(said.text)
    const index = this.#calls
    const { arguments: text, ...call } = toolCallOf(said, this.#fallback.id, index)
    this.#calls += 1
    return writer.toolCall(index, call) + writer.toolArguments(index, text)
  }

  #finish(): string {
    if (this.#failed || this.#writer === null || this.#finishReason === null) return ''
    const reason = finishReasonOf(this.#finishReason, this.#calls > 0)
    if (reason === null) {
      this.isUnusable = true
      return this.#fail(`The model's answer failed: ${this.#finishReason}.`)
    }
    const usage = this.usage === null || this.#isUsageOld ? '' : this.#writer.usage(this.usage)
    return this.#begin(this.#writer) + this.#writer.finish(reason) + usage + this.#writer.done()
  }

  #fail(message: string): string {
    this.#failed = true
    return (this.#writer ?? createChunkWriter(this.#fallback)).error(message)
  }
}
