import {
  asObject,
  errorMessageOf,
  type Fields,
  isErrorChunk,
  parseChunk,
  piecesOf,
  usageOf,
} from '../../wire/chat/chat-chunk.ts'
import { readUsage } from '../../wire/chat/read-usage.ts'
import type { SseEvent } from '../../wire/sse/read-event.ts'
import type { Usage } from '../../wire/usage.ts'
import type { AnswerContext, Charged, StreamTracker, Verdict } from '../surface.ts'
import { createChatAssembler } from './assemble-chat.ts'
import { streamTail } from './chat-tail.ts'

/** Follows a chat completion as an OpenAI-compatible provider streams it. */
export function createChatStreamTracker(context: Pick<AnswerContext, 'facts' | 'created'>): StreamTracker {
  return new Tracker(context)
}

/** The most that any provider allows; bounds what is remembered of a hostile one. */
const MAX_CHOICES = 128
const MAX_NAME_LENGTH = 256
const OPEN_BRACKET = 0x5b

class Tracker implements StreamTracker {
  done = false
  readonly pieces: string[] = []
  characters = 0
  usage: Usage | null = null
  errorMessage: string | null = null
  readonly #context: Pick<AnswerContext, 'facts' | 'created'>
  readonly #assembler = createChatAssembler()
  readonly #finished = new Set<number>()
  readonly #unfinished = new Set<number>()
  /** The JSON of the last chunk that had only usage. */
  #usageData: Buffer | null = null
  /** Usage as the provider spelled it. */
  #saidUsage: unknown
  #id: string | null = null
  #model: string | null = null

  constructor(context: Pick<AnswerContext, 'facts' | 'created'>) {
    this.#context = context
  }

  /** At least one choice has begun, and every one that did has its finish reason. */
  get finished(): boolean {
    return this.#unfinished.size === 0 && this.#finished.size > 0
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

  accept({ data, event, raw, oversized }: SseEvent): Verdict {
    if (this.done) return 'skip'
    if (oversized) return 'malformed'
    if (data === null && event !== 'error') return this.#acceptUnframed(raw.toString().trim())
    const chunk = data === null || data[0] === OPEN_BRACKET ? null : parseChunk(data.toString())
    if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) return this.#fail(chunk)
    if (data === null || chunk === null) return this.#acceptText(data?.toString().trim() ?? '')
    return this.#acceptChunk(chunk, data)
  }

  /** A frame without data is a comment, unless it is a JSON or HTML body that only calls itself a stream. */
  #acceptUnframed(text: string): Verdict {
    if (!text.startsWith('{') && !text.startsWith('<')) return 'forward'
    const body = parseChunk(text)
    return body !== null && isErrorChunk(body) ? this.#fail(body) : 'malformed'
  }

  #acceptText(text: string): Verdict {
    if (text === '') return 'skip'
    this.done = text.startsWith('[DONE]')
    return this.done ? 'hold' : 'malformed'
  }

  #acceptChunk(chunk: Fields, data: Buffer): Verdict {
    const choices = chunk.choices ?? []
    if (!Array.isArray(choices)) return 'malformed'
    this.#id ??= nameIn(chunk.id)
    this.#model ??= nameIn(chunk.model)
    this.#assembler.add(chunk, choices)
    for (const choice of choices) this.#acceptChoice(asObject(choice) ?? {})
    const said = usageOf(chunk)
    if (said === undefined || said === null) return 'forward'
    const usage = readUsage(said)
    this.usage = usage ?? this.usage
    if (usage !== null) this.#saidUsage = said
    if (choices.length > 0) return 'forward'
    if (usage !== null && said === chunk.usage) this.#usageData = data
    return 'hold'
  }

  #acceptChoice({ index: given, delta, finish_reason: reason }: Fields): void {
    const index = typeof given === 'number' ? given : 0
    const known = this.#finished.size + this.#unfinished.size
    if (!this.#finished.has(index) && known < MAX_CHOICES) this.#unfinished.add(index)
    for (const piece of piecesOf(asObject(delta) ?? {})) {
      this.pieces.push(piece)
      this.characters += piece.length
    }
    if (nameIn(reason) !== null && this.#unfinished.delete(index)) this.#finished.add(index)
  }

  #fail(chunk: Fields | null): Verdict {
    this.errorMessage = chunk === null ? null : errorMessageOf(chunk)
    return 'error'
  }
}

/** Some vendors send an empty string for what is not there yet. */
function nameIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME_LENGTH) : null
}

/** Null for what is nested deeper than can be written. */
function jsonOf(value: object): Buffer | null {
  try {
    return Buffer.from(JSON.stringify(value))
  } catch {
    return null
  }
}
