import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { TextCollector } from '../../pricing/generated-text.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { encryptedTokens, perToken } from '../../wire/estimated-tokens.ts'
import { eventFrame } from '../../wire/responses/event-writer.ts'
import { isSearch, readResponseUsage } from '../../wire/responses/response-usage.ts'
import { type HostedCalls, noHostedCalls, type Usage } from '../../wire/usage.ts'
import type { AnswerContext, Charged, FrameAction, Recording, StreamTracker } from '../surface.ts'
import { finishResponse, ownResponse } from './own-response.ts'

/** Tracks a response as OpenAI streams it, and replaces its response object with the gateway's own. */
export function createResponsesTracker(context: AnswerContext, recording: Partial<Recording> = {}): StreamTracker {
  return new Tracker(context, recording)
}

const maxMessageLength = 1_000
const unfinishedEventsMax = 16

/** Events that contain the response object. */
const begins: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued'])
const ends: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])
/** Events whose `delta` the model generated. */
const writes: ReadonlySet<string> = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.reasoning_text.delta',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
])

/** The event that ends the stream. It is held back until the charge is committed. */
interface Ending {
  readonly type: string
  readonly data: Buffer
  readonly response: Buffer
}

class Tracker implements StreamTracker {
  done = false
  usage: Usage | null = null
  readonly generated: TextCollector
  hostedCalls: HostedCalls = noHostedCalls
  openCalls: HostedCalls = noHostedCalls
  errorMessage: string | null = null
  /** The last event contains the complete response, so nothing is assembled. */
  readonly isFull = false
  readonly #context: AnswerContext
  #ending: Ending | null = null
  /** Characters of reasoning since the last reasoning item ended. */
  #thoughtCharacters = 0
  /** Number of events so far that contain the unfinished response. */
  #unfinishedEvents = 0

  constructor(context: AnswerContext, { reserve }: Partial<Recording>) {
    this.#context = context
    this.generated = new TextCollector(reserve)
  }

  /** Only the last event states that the answer is complete. */
  get finished(): boolean {
    return this.done
  }

  /** Only the last event reports usage. */
  get isUsageFinal(): boolean {
    return this.done && this.usage !== null
  }

  accept({ data, event, raw, oversized }: SseEvent): FrameAction {
    if (this.done) return 'skip'
    if (oversized) return 'malformed'
    if (data === null) return event === 'error' ? 'error' : unframed(raw.toString().trim())
    const text = data.toString().trim()
    if (text === '' || text.startsWith('[DONE]')) return event === 'error' ? 'error' : 'skip'
    const read = readObject(data)
    if (read === null) return event === 'error' ? 'error' : 'malformed'
    const type = asText(read.body.type) ?? event
    if (type === 'error' || event === 'error' || type === 'response.failed') return this.#fail(read.body)
    if (type === null) return asObject(read.body.error) === null ? 'malformed' : this.#fail(read.body)
    return this.#acceptEvent(type, read.body, data)
  }

  tail(charged: Charged): string {
    if (this.#ending === null) return ''
    const { type, data, response } = this.#ending
    const [whole, inner] = [readObject(data), readObject(response)]
    if (whole === null || inner === null) throw new Error('an event that was read before cannot be read')
    const finished = finishResponse({ bytes: response, scan: inner.scan }, charged, this.#context)
    return eventFrame(type, editTopLevel(data, whole.scan, { response: finished }).toString())
  }

  assemble(): Buffer | null {
    return this.#ending?.response ?? null
  }

  #acceptEvent(type: string, body: Fields, data: Buffer): FrameAction {
    if (ends.has(type)) return this.#end(type, body, data)
    if (begins.has(type)) return this.#begin(type, data)
    if (writes.has(type)) this.#wrote(asText(body.delta))
    if (type.startsWith('response.reasoning_')) this.#thoughtCharacters += asText(body.delta)?.length ?? 0
    if (type === 'response.output_item.added') this.#beginItem(asObject(body.item) ?? {})
    if (type === 'response.output_item.done') this.#endItem(asObject(body.item) ?? {})
    return 'forward'
  }

  #endItem(item: Fields): void {
    this.#addEncrypted(asText(item.encrypted_content))
    this.#countOpen(item, -1)
    const { webSearches, containers } = this.hostedCalls
    if (isSearch(item)) this.hostedCalls = { webSearches: webSearches + 1, containers }
    else if (item.type === 'code_interpreter_call') this.hostedCalls = { webSearches, containers: containers + 1 }
  }

  #beginItem(item: Fields): void {
    this.#wrote(asText(item.name))
    this.#countOpen(item, 1)
  }

  /** Whether a call is a search, or opens a page for nothing, is stated when it ends. */
  #countOpen({ type }: Fields, change: 1 | -1): void {
    const { webSearches, containers } = this.openCalls
    if (type === 'web_search_call') this.openCalls = { webSearches: Math.max(0, webSearches + change), containers }
    else if (type === 'code_interpreter_call') {
      this.openCalls = { webSearches, containers: Math.max(0, containers + change) }
    }
  }

  #end(type: string, { response }: Fields, data: Buffer): FrameAction {
    const bytes = responseIn(data)
    if (bytes === null) return 'malformed'
    this.usage = readResponseUsage(asObject(response) ?? {})
    this.#ending = { type, data, response: bytes }
    this.done = true
    return 'hold'
  }

  /** A provider sends each of these events once. Rewriting one takes time, so their number is limited. */
  #begin(type: string, data: Buffer): FrameAction {
    this.#unfinishedEvents += 1
    return this.#unfinishedEvents > unfinishedEventsMax ? 'malformed' : this.#rewritten(type, data)
  }

  #rewritten(type: string, data: Buffer): FrameAction {
    const [whole, bytes] = [readObject(data), responseIn(data)]
    const inner = bytes === null ? null : readObject(bytes)
    if (whole === null || bytes === null || inner === null) return 'malformed'
    const response = ownResponse({ bytes, scan: inner.scan }, this.#context)
    return Buffer.from(eventFrame(type, editTopLevel(data, whole.scan, { response }).toString()))
  }

  #wrote(piece: string | null | undefined): void {
    if (piece === null || piece === undefined || piece === '') return
    this.generated.add(piece)
  }

  /** The encrypted content of a reasoning item is all of its reasoning; some of it may have arrived as text. */
  #addEncrypted(encrypted: string | null): void {
    if (encrypted === null) return
    this.generated.addHidden(Math.max(0, encryptedTokens(encrypted.length) - this.#thoughtCharacters / perToken))
    this.#thoughtCharacters = 0
  }

  #fail({ message, error, response }: Fields): FrameAction {
    const said = asObject(error) ?? asObject(asObject(response)?.error)
    this.errorMessage = (asText(message) ?? asText(said?.message))?.slice(0, maxMessageLength) ?? null
    return 'error'
  }
}

/** The bytes of the response object in an event; null when there is none that can be read. */
function responseIn(data: Buffer): Buffer | null {
  const read = readObject(data)
  const span = read?.scan.topLevel.get('response')
  if (read === null || span === undefined || asObject(read.body.response) === null) return null
  const bytes = Buffer.from(data.subarray(span.start, span.end)) // copied, because the event may be a view of a larger chunk
  return readObject(bytes) === null ? null : bytes
}

/**
 * A frame without data is a comment, unless it is a JSON or HTML body that was sent with the media type of a stream.
 */
function unframed(text: string): FrameAction {
  return text.startsWith('{') || text.startsWith('<') ? 'malformed' : 'forward'
}
