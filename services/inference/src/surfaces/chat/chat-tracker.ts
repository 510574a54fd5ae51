import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { TextCollector } from '../../pricing/generated-text.ts'
import {
  encryptedTokensOf,
  errorMessageOf,
  isErrorChunk,
  parseChunk,
  piecesOf,
  usageOf,
} from '../../wire/chat/chat-chunk.ts'
import { readUsage } from '../../wire/chat/read-usage.ts'
import { parseEvent } from '../../wire/json/parse-event.ts'
import { type Usage, withTier } from '../../wire/usage.ts'
import type { Charged, FrameAction, Recording, ReplayContext, StreamTracker } from '../surface.ts'
import { type ChatAssembler, createChatAssembler } from './assemble-chat.ts'
import { streamTail } from './chat-tail.ts'

/** Tracks a chat completion as an OpenAI-compatible provider streams it. */
export function createChatStreamTracker(context: ReplayContext, recording: Partial<Recording> = {}): StreamTracker {
  return new Tracker(context, recording)
}

/** Maximum of any provider. It bounds the memory that a hostile provider can fill. */
const MAX_CHOICES = 128
const MAX_NAME_LENGTH = 256
const OPEN_BRACKET = 0x5b

class Tracker implements StreamTracker {
  done = false
  readonly generated: TextCollector
  usage: Usage | null = null
  errorMessage: string | null = null
  readonly #context: ReplayContext
  readonly #assembler: ChatAssembler
  readonly #finished = new Set<number>()
  readonly #unfinished = new Set<number>()
  /** The JSON of the last chunk that had only usage. */
  #usageData: Buffer | null = null
  /** The usage in the provider's own fields. */
  #saidUsage: unknown
  /** Number of generated pieces when the usage was reported. */
  #piecesAtUsage = 0
  #id: string | null = null
  #model: string | null = null

  constructor(context: ReplayContext, recording: Partial<Recording>) {
    this.#context = context
    this.generated = new TextCollector(recording.reserve)
    this.#assembler = createChatAssembler(recording)
  }

  /** True when at least one choice has begun and each one that has begun has its finish reason. */
  get finished(): boolean {
    return this.#unfinished.size === 0 && this.#finished.size > 0
  }

  /** Some providers report the usage so far with each chunk, or only with an early one. */
  get isUsageFinal(): boolean {
    return (this.finished || this.done) && this.usage !== null && this.#piecesAtUsage === this.generated.pieces
  }

  get isFull(): boolean {
    return this.#assembler.isFull
  }

  tail(charged: Charged): string {
    const { facts, created } = this.#context
    const names = { id: this.#id, responseModel: this.#model, created }
    return streamTail({ includeUsage: facts.includeUsage, usageData: this.#usageData, ...names, ...charged })
  }

  assemble(): Buffer | null {
    const completion = this.#assembler.assemble()
    if (completion === null) return null
    const usage = this.#saidUsage === undefined ? {} : { usage: this.#saidUsage }
    return jsonOf({ ...completion, ...usage })
  }

  accept({ data, event, raw, oversized }: SseEvent): FrameAction {
    if (this.done) return 'skip'
    if (oversized) return 'malformed'
    if (data === null && event !== 'error') return this.#acceptUnframed(raw.toString().trim())
    const chunk = data === null || data[0] === OPEN_BRACKET ? null : parseEvent(data)
    if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) return this.#fail(chunk)
    if (data === null || chunk === null) return this.#acceptText(data?.toString().trim() ?? '')
    return this.#acceptChunk(chunk, data)
  }

  /**
   * A frame without data is a comment, unless it is a JSON or HTML body that was sent with the media type of a stream.
   */
  #acceptUnframed(text: string): FrameAction {
    if (!text.startsWith('{') && !text.startsWith('<')) return 'forward'
    const body = parseChunk(text)
    return body !== null && isErrorChunk(body) ? this.#fail(body) : 'malformed'
  }

  #acceptText(text: string): FrameAction {
    if (text === '') return 'skip'
    this.done = text.startsWith('[DONE]')
    return this.done ? 'hold' : 'malformed'
  }

  #acceptChunk(chunk: Fields, data: Buffer): FrameAction {
    const choices = chunk.choices ?? []
    if (!Array.isArray(choices)) return 'malformed'
    this.#id ??= nameIn(chunk.id)
    this.#model ??= nameIn(chunk.model)
    for (const choice of choices) this.#acceptChoice(asObject(choice) ?? {})
    const said = usageOf(chunk)
    this.#assembler.add(chunk, choices)
    if (said === undefined || said === null) return 'forward'
    const usage = withTier(readUsage(said), chunk.service_tier)
    this.usage = usage ?? this.usage
    if (usage !== null) {
      this.#saidUsage = said
      this.#piecesAtUsage = this.generated.pieces
    }
    if (choices.length > 0) return 'forward'
    if (usage !== null && said === chunk.usage) this.#usageData = data
    return 'hold'
  }

  #acceptChoice({ index: at, delta, finish_reason: reason }: Fields): void {
    const index = typeof at === 'number' ? at : 0
    const known = this.#finished.size + this.#unfinished.size
    if (!this.#finished.has(index) && known < MAX_CHOICES) this.#unfinished.add(index)
    const given = asObject(delta) ?? {}
    for (const piece of piecesOf(given)) this.generated.add(piece)
    if (given.reasoning_details !== undefined) this.generated.addHidden(encryptedTokensOf(given.reasoning_details))
    if (nameIn(reason) !== null && this.#unfinished.delete(index)) this.#finished.add(index)
  }

  #fail(chunk: Fields | null): FrameAction {
    this.errorMessage = chunk === null ? null : errorMessageOf(chunk)
    return 'error'
  }
}

/** Some providers send an empty string for a value that they do not have yet. */
function nameIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME_LENGTH) : null
}

/** Null for an object that is nested too deep to be written. */
function jsonOf(value: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(value))
  } catch {
    return null
  }
}
