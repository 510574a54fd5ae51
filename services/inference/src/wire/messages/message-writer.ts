import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { encryptedTokensOf, piecesOf } from '../chat/chat-chunk.ts'
import { readTexts } from '../chat/read-texts.ts'
import { perToken } from '../estimated-tokens.ts'
import type { ProviderRequest } from '../provider.ts'
import { RecordRoom } from '../record-room.ts'
import { thoughtsOf } from '../signed-thoughts.ts'
import type { StreamFacts } from '../stream-converter.ts'
import type { Usage } from '../usage.ts'
import { type Block, type BlockWriter, createBlockWriter } from './block-writer.ts'
import { hidesThinking } from './chat-output.ts'
import { messageEnding } from './message-ending.ts'
import { messageEvent, wireMessagesUsage } from './message-event.ts'
import { extraOf, messageHead, ownCallId, textOf } from './message-from-chat.ts'

/** Writes one choice of a chat completion's stream as the frames of a message. */
export interface MessageStreamWriter extends StreamFacts {
  /**
   * Begins the message; later calls have no effect.
   *
   * @param name the model's name at the provider
   */
  begin(name: unknown): string
  report(choice: Fields): string
  noteUsage(usage: Usage): void
  /** True when more waits to be written than may be stored. */
  readonly isFull: boolean
  /** True when the choice has its finish reason. */
  readonly hasReason: boolean
  end(): string
}

export function createMessageStreamWriter(request: ProviderRequest): MessageStreamWriter {
  return new MessageWriter(request)
}

/** More than any answer has. It bounds the memory that a hostile provider can fill. */
const callsMax = 1_024

interface Call {
  readonly id: string
  /** Null until the name is known, because a block begins with it. */
  block: Block | null
  /** Members of the block that arrived with the call. */
  readonly extra: Record<string, unknown>
  /** Arguments that arrived before the name. */
  early: string
}

class MessageWriter implements MessageStreamWriter {
  readonly #request: ProviderRequest
  readonly #isThinkingHidden: boolean
  readonly #room: RecordRoom
  readonly #writer: BlockWriter
  /** The current call of each index that the provider uses. */
  readonly #calls = new Map<number, Call>()
  #callCount = 0
  #hasBegun = false
  #finishReason: unknown = null
  #stoppedBy: unknown = null
  #refusal = ''
  usage: Usage | null = null
  hiddenTokens = 0
  /** True when content followed the usage, which is then not that of the complete answer. */
  #isUsageOld = false

  constructor(request: ProviderRequest) {
    this.#request = request
    this.#room = new RecordRoom(request.limits.reserve)
    this.#writer = createBlockWriter(this.#room)
    this.#isThinkingHidden = hidesThinking(request.body)
  }

  get hasReason(): boolean {
    return this.#finishReason !== null
  }

  get isFull(): boolean {
    return this.#room.isFull
  }

  noteUsage(usage: Usage): void {
    this.usage = usage
    this.#isUsageOld = false
  }

  begin(name: unknown): string {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const usage = { input_tokens: 0, output_tokens: 0 } // the end of the message states the real usage
    const message = { ...messageHead(name, this.#request), content: [], stop_reason: null, stop_sequence: null, usage }
    return messageEvent('message_start', { message })
  }

  report({ delta, finish_reason: reason, stop_reason: stoppedBy }: Fields): string {
    const given = asObject(delta) ?? {}
    if (piecesOf(given).length > 0) this.#isUsageOld = true
    const { refusal, tool_calls: calls } = given
    const { text, reasoning } = readTexts(given)
    const refused = textOf(refusal)
    this.#refusal += refused
    this.#room.take(refused)
    const frames = [
      this.#think(reasoning),
      this.#sign(given.reasoning_details),
      this.#text('text', text),
      this.#text('text', refused),
      ...(Array.isArray(calls) ? calls : []).map((call, place) => this.#writeCall(asObject(call) ?? {}, place)),
    ]
    if (typeof reason === 'string' && reason !== '') this.#finishReason = reason
    if (typeof stoppedBy === 'string') this.#stoppedBy = stoppedBy
    return frames.join('')
  }

  end(): string {
    const begun = this.begin(undefined)
    const ending = {
      finishReason: this.#finishReason,
      stoppedBy: this.#stoppedBy,
      hasCalls: this.#callCount > 0,
      refusal: this.#refusal,
    }
    const usage = this.usage === null || this.#isUsageOld ? {} : { usage: wireMessagesUsage(this.usage) }
    const delta = messageEnding(ending, this.#request.body.stop_sequences)
    const ended = messageEvent('message_delta', { delta, ...usage }) + messageEvent('message_stop', {})
    return begun + this.#writer.end() + ended
  }

  /** Reasoning that the client does not get is counted. */
  #think(thought: string): string {
    if (this.#isThinkingHidden) this.hiddenTokens += thought.length / perToken
    return this.#isThinkingHidden ? '' : this.#text('thinking', thought)
  }

  /** The signatures of thinking whose text came before them, which the client must send back with it. */
  #sign(details: unknown): string {
    if (details === undefined) return ''
    this.hiddenTokens += encryptedTokensOf(details)
    return thoughtsOf(details)
      .map((block) => this.#writer.thought(block))
      .join('')
  }

  #text(kind: 'text' | 'thinking', piece: string): string {
    return piece === '' ? '' : this.#writer.text(kind, piece)
  }

  #writeCall({ index, id, function: given, ...more }: Fields, place: number): string {
    const call = this.#callOf(typeof index === 'number' ? index : place, id)
    if (call === null) return ''
    const { name, arguments: written } = asObject(given) ?? {}
    const piece = typeof written === 'string' ? written : ''
    if (call.block !== null) return piece === '' ? '' : this.#writer.input(call.block, piece)
    call.early += piece
    this.#room.take(piece)
    this.#room.take(Object.assign(call.extra, extraOf(more)))
    if (typeof name !== 'string' || name === '') return ''
    const { block, frames } = this.#writer.beginCall({ ...call.extra, id: call.id, name })
    call.block = block
    return call.early === '' ? frames : frames + this.#writer.input(block, call.early)
  }

  /** The call that a delta continues. Some providers give every call the same index, but an id of its own. */
  #callOf(index: number, id: unknown): Call | null {
    const isNamed = typeof id === 'string' && id !== ''
    const known = this.#calls.get(index)
    if (known !== undefined && (!isNamed || known.id === id)) return known
    if (this.#callCount >= callsMax) return null
    const call = { id: isNamed ? id : ownCallId(this.#request, this.#callCount), block: null, extra: {}, early: '' }
    this.#calls.set(index, call)
    this.#callCount += 1
    return call
  }
}
