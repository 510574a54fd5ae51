import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader, type SseReader } from '@ratchet/service-kit/sse/read-events'
import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { encryptedTokensOf, errorMessageOf, isErrorChunk, piecesOf, usageOf } from '../chat/chat-chunk.ts'
import { readUsage } from '../chat/read-usage.ts'
import { parseEvent } from '../json/parse-event.ts'
import type { ProviderRequest } from '../provider.ts'
import { RecordRoom } from '../record-room.ts'
import type { StreamConverter, StreamFacts } from '../stream-converter.ts'
import type { Usage } from '../usage.ts'
import { createEventWriter } from './event-writer.ts'
import { createResponseDraft } from './response-draft.ts'
import { endOf, type ResponseHead, type ResponseState, readHead, responseObject } from './response-object.ts'

/** Translates a chat completion stream into the typed events of a response. */
export function chatStreamToEvents(request: ProviderRequest): StreamConverter {
  return new Converter(request)
}

/** Maximum bytes of one frame. */
const maxFrameBytes = 4 * mebibyte
/** More than any answer has. */
const maxItems = 10_000

class Converter implements StreamConverter {
  readonly #request: ProviderRequest
  readonly #reader: SseReader
  readonly #writer = createEventWriter()
  readonly #draft
  #frames: string[] = []
  #head: ResponseHead | null = null
  usage: Usage | null = null
  hiddenTokens = 0
  /** Characters that were generated when the usage was reported. */
  #charactersAtUsage = 0
  /** Counts what is stored: the complete answer, until its end. */
  readonly #room: RecordRoom
  /** When they take too much memory, the later ones are left out. */
  readonly #probabilities: RecordRoom
  #finishReason: string | null = null
  #isOver = false

  constructor(request: ProviderRequest) {
    this.#request = request
    const { reserve } = request.limits
    this.#reader = createSseReader({ maxEventBytes: maxFrameBytes, reserve })
    this.#room = new RecordRoom(reserve)
    this.#probabilities = new RecordRoom(reserve)
    this.#draft = createResponseDraft(request, (type, members) => this.#emit(type, members))
  }

  get facts(): StreamFacts {
    return this
  }

  push(chunk: Buffer): Buffer {
    if (this.#isOver) return Buffer.alloc(0)
    for (const event of this.#reader.push(chunk)) this.#accept(event)
    return this.#flush()
  }

  end(): Buffer {
    if (this.#isOver) return Buffer.alloc(0)
    const rest = this.#reader.end()
    if (rest !== null) this.#accept(rest)
    if (!this.#isOver && this.#finishReason !== null) this.#complete()
    this.#isOver = true
    return this.#flush()
  }

  #accept({ data, event, oversized }: SseEvent): void {
    const text = data?.toString().trim() ?? ''
    if (this.#isOver || (text === '' && event !== 'error' && !oversized)) return
    const chunk = data === null ? null : parseEvent(data)
    if (oversized) this.#fail('The provider sent an event that is too large.')
    else if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) this.#fail(reportedIn(chunk))
    else if (chunk !== null) this.#acceptChunk(chunk)
    else if (text.startsWith('[DONE]') && this.#head !== null) this.#complete()
    else this.#fail('The provider sent a stream that cannot be read.')
  }

  #acceptChunk(chunk: Fields): void {
    if (this.#head === null) this.#begin(readHead(chunk))
    const usage = readUsage(usageOf(chunk))
    this.usage = usage ?? this.usage
    for (const value of asList(chunk.choices)) {
      const choice = asObject(value)
      if (choice === null || (choice.index ?? 0) !== 0) continue
      if (this.#finishReason === null) this.#addDelta(asObject(choice.delta) ?? {}, choice.logprobs)
      const reason = asText(choice.finish_reason) ?? ''
      if (reason !== '') this.#finishReason ??= reason
    }
    const { characters, items } = this.#draft
    if (usage !== null) this.#charactersAtUsage = characters
    const isTooLarge = characters > this.#request.limits.maxCharacters || items.length > maxItems || this.#room.isFull
    if (isTooLarge) this.#fail('The provider sent an answer that is too large.')
  }

  #addDelta(delta: Fields, logprobs: unknown): void {
    const { reasoning_details: details, tool_calls: calls } = delta
    if (details !== undefined) this.hiddenTokens += encryptedTokensOf(details)
    for (const piece of piecesOf(delta)) this.#room.take(piece)
    for (const call of asList(calls)) this.#room.take(asObject(call)?.extra_content)
    this.#room.take(details)
    this.#probabilities.take(logprobs)
    this.#draft.add(delta, this.#probabilities.isFull ? null : logprobs)
  }

  #begin(head: ResponseHead): void {
    this.#head = head
    const response = this.#response({ status: 'in_progress', output: [], usage: null })
    this.#emit('response.created', { response })
    this.#emit('response.in_progress', { response })
  }

  #complete(): void {
    const end = endOf(this.#finishReason)
    this.#draft.finish(end.status)
    // A usage that content followed is not that of the complete answer.
    const usage = this.#charactersAtUsage === this.#draft.characters ? this.usage : null
    const response = this.#response({ ...end, output: this.#draft.items, usage })
    this.#emit(`response.${end.status}`, { response })
    this.#isOver = true
  }

  #fail(message: string): void {
    this.#emit('error', { code: 'upstream_error', message, param: null })
    this.#isOver = true
  }

  #response(state: ResponseState): object {
    return responseObject(this.#request, this.#head ?? { created: 0, model: '' }, state)
  }

  /** Serialized at once, because the objects in an event change with the next one. */
  #emit(type: string, members: object): void {
    this.#frames.push(this.#writer.write(type, members))
  }

  #flush(): Buffer {
    const bytes = Buffer.from(this.#frames.join(''))
    this.#frames = []
    return bytes
  }
}

function reportedIn(chunk: Fields | null): string {
  return (chunk === null ? null : errorMessageOf(chunk)) ?? 'The provider reported an error.'
}
