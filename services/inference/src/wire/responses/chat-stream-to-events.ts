import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { errorMessageOf, isErrorChunk, parseChunk, usageOf } from '../chat/chat-chunk.ts'
import { readUsage } from '../chat/read-usage.ts'
import type { ProviderRequest } from '../provider.ts'
import type { SseEvent } from '../sse/read-event.ts'
import { createSseReader } from '../sse/read-events.ts'
import type { StreamConverter } from '../stream-converter.ts'
import type { Usage } from '../usage.ts'
import { createEventWriter } from './event-writer.ts'
import { createResponseDraft } from './response-draft.ts'
import { endOf, type ResponseHead, type ResponseState, readHead, responseObject } from './response-object.ts'

/** Translates a chat completion stream into the typed events of a response. */
export function chatStreamToEvents(request: ProviderRequest): StreamConverter {
  return new Converter(request)
}

/** Maximum bytes of one frame, and maximum characters of the generated text. */
const maxFrameBytes = 4 * mebibyte
const maxCharacters = 32 * mebibyte

class Converter implements StreamConverter {
  readonly #request: ProviderRequest
  readonly #reader = createSseReader({ maxEventBytes: maxFrameBytes })
  readonly #writer = createEventWriter()
  readonly #draft
  #frames: string[] = []
  #head: ResponseHead | null = null
  #usage: Usage | null = null
  #finishReason: string | null = null
  #isOver = false

  constructor(request: ProviderRequest) {
    this.#request = request
    this.#draft = createResponseDraft(request.requestId, (type, members) => this.#emit(type, members))
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
    const chunk = parseChunk(text)
    if (oversized) this.#fail('The provider sent an event that is too large.')
    else if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) this.#fail(reportedIn(chunk))
    else if (chunk !== null) this.#acceptChunk(chunk)
    else if (text.startsWith('[DONE]') && this.#head !== null) this.#complete()
    else this.#fail('The provider sent a stream that cannot be read.')
  }

  #acceptChunk(chunk: Fields): void {
    if (this.#head === null) this.#begin(readHead(chunk))
    this.#usage = readUsage(usageOf(chunk)) ?? this.#usage
    for (const value of asList(chunk.choices)) {
      const choice = asObject(value)
      if (choice === null || (choice.index ?? 0) !== 0) continue
      if (this.#finishReason === null) this.#draft.add(asObject(choice.delta) ?? {}, choice.logprobs)
      const reason = asText(choice.finish_reason) ?? ''
      if (reason !== '') this.#finishReason ??= reason
    }
    if (this.#draft.characters > maxCharacters) this.#fail('The provider sent an answer that is too large.')
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
    const response = this.#response({ ...end, output: this.#draft.items, usage: this.#usage })
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
