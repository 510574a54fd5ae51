import type { Usage } from '../../domain/usage.ts'
import type { SseEvent } from '../../sse/read-event.ts'
import { asObject, errorMessageOf, type Fields, isErrorChunk, parseChunk, piecesOf, usageOf } from './chat-chunk.ts'
import { readUsage } from './read-usage.ts'

/**
 * What to do with a frame of a provider's stream:
 * `forward` it as it is · `hold` it back until the charge is committed (`[DONE]`, and a chunk that has only usage) ·
 * `skip` it: it says nothing and would trouble a client (empty data, anything after `[DONE]`) ·
 * `error`: the provider says that it failed · `malformed`: it is not a chat completion chunk.
 */
export type Verdict = 'forward' | 'hold' | 'skip' | 'error' | 'malformed'

export interface ChatStreamTracker {
  /** Never throws, whatever the provider sent. */
  accept(event: SseEvent): Verdict
  /** `[DONE]` has come. */
  readonly done: boolean
  /** At least one choice has begun, and every one that did has its finish reason. */
  readonly finished: boolean
  /** Pieces of text that the model wrote, over all choices: content, refusals, reasoning, tool names and arguments. */
  readonly deltas: number
  /** Characters of those pieces. */
  readonly characters: number
  readonly finishReasons: ReadonlyMap<number, string>
  /** As the provider gave it last; null while it has not. */
  readonly usage: Usage | null
  /** The JSON of the last chunk that had only usage. */
  readonly usageData: Buffer | null
  readonly id: string | null
  readonly responseModel: string | null
  /** What the provider said with the verdict `error`. */
  readonly errorMessage: string | null
}

/** Follows a chat completion as an OpenAI-compatible provider streams it. */
export function createChatStreamTracker(): ChatStreamTracker {
  return new Tracker()
}

/** The most that any provider allows; bounds what is remembered of a hostile one. */
const MAX_CHOICES = 128
const MAX_NAME_LENGTH = 256
const OPEN_BRACKET = 0x5b

class Tracker implements ChatStreamTracker {
  readonly finishReasons = new Map<number, string>()
  done = false
  deltas = 0
  characters = 0
  usage: Usage | null = null
  usageData: Buffer | null = null
  id: string | null = null
  responseModel: string | null = null
  errorMessage: string | null = null
  readonly #unfinished = new Set<number>()

  get finished(): boolean {
    return this.#unfinished.size === 0 && this.finishReasons.size > 0
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
    this.id ??= nameIn(chunk.id)
    this.responseModel ??= nameIn(chunk.model)
    for (const choice of choices) this.#acceptChoice(asObject(choice) ?? {})
    const said = usageOf(chunk)
    if (said === undefined || said === null) return 'forward'
    const usage = readUsage(said)
    this.usage = usage ?? this.usage
    if (choices.length > 0) return 'forward'
    if (usage !== null && said === chunk.usage) this.usageData = data
    return 'hold'
  }

  #acceptChoice({ index: given, delta, finish_reason: reason }: Fields): void {
    const index = typeof given === 'number' ? given : 0
    const known = this.finishReasons.size + this.#unfinished.size
    if (!this.finishReasons.has(index) && known < MAX_CHOICES) this.#unfinished.add(index)
    for (const piece of piecesOf(asObject(delta) ?? {})) {
      this.deltas += 1
      this.characters += piece.length
    }
    const reasonName = nameIn(reason)
    if (reasonName !== null && this.#unfinished.delete(index)) this.finishReasons.set(index, reasonName)
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
