import { formatUsd } from '@ratchet/contracts/money'
import { editMember, editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { TextCollector } from '../../pricing/generated-text.ts'
import { errorMessageOf, isErrorChunk, parseChunk } from '../../wire/chat/chat-chunk.ts'
import { readObject, replyLimits } from '../../wire/chat/read-reply.ts'
import { encryptedTokens } from '../../wire/estimated-tokens.ts'
import { eventLimits } from '../../wire/json/parse-event.ts'
import { frameOf, messageEvent, wireMessagesUsage } from '../../wire/messages/message-event.ts'
import { laterMessagesUsage, piecesOfBlock, readMessagesUsage } from '../../wire/messages/read-message.ts'
import { type HostedCalls, noHostedCalls, type Usage } from '../../wire/usage.ts'
import { conversationMember } from '../named-conversation.ts'
import type { Charged, FrameAction, Recording, StreamTracker } from '../surface.ts'
import { createMessageAssembler, type MessageAssembler } from './assemble-message.ts'

/** Used when a stream ended without a `message_delta`. */
const ownDelta = Buffer.from('{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}}')

/** Tracks a message as Anthropic streams it. */
export function createMessagesTracker(recording: Partial<Recording> = {}): StreamTracker {
  return new Tracker(recording)
}

class Tracker implements StreamTracker {
  done = false
  finished = false
  readonly generated: TextCollector
  errorMessage: string | null = null
  readonly #assembler: MessageAssembler
  #hasStarted = false
  #hasBlock = false
  /** True while the open block is thinking of which no text arrived. */
  #isThinkingHidden = false
  /** Number of generated pieces at the last `message_delta` with usage. */
  #piecesAtUsage = 0
  /** The usage of `message_start`, in the provider's fields. It has the prompt's tokens. */
  #startUsage: unknown
  /** The usage of `message_start` and `message_delta` merged, in the provider's fields; null before `message_delta`. */
  hostedCalls: HostedCalls = noHostedCalls
  /** Searches that began and have no result yet. */
  #openSearches = 0
  #saidUsage: Fields | null = null
  /** The JSON of the last `message_delta`. */
  #heldDelta: Buffer | null = null

  constructor(recording: Partial<Recording>) {
    this.generated = new TextCollector(recording.reserve)
    this.#assembler = createMessageAssembler(recording)
  }

  /** Before the end a provider reports the tokens of the prompt, but few or none of the answer. */
  get usage(): Usage | null {
    return readMessagesUsage(this.#saidUsage ?? this.#startUsage)
  }

  get openCalls(): HostedCalls {
    return { ...noHostedCalls, webSearches: this.#openSearches }
  }

  get isUsageFinal(): boolean {
    const isAtEnd = this.#piecesAtUsage === this.generated.pieces
    return (this.finished || this.done) && this.#saidUsage !== null && isAtEnd
  }

  get isFull(): boolean {
    return this.#assembler.isFull
  }

  tail(charged: Charged): string {
    const isReported = charged.isReported && this.#saidUsage !== null
    return messagesTail(this.#heldDelta, { ...charged, isReported })
  }

  assemble(): Buffer | null {
    const message = this.#assembler.assemble()
    if (message === null) return null
    const { usage: _start, ...rest } = message
    return Buffer.from(JSON.stringify(this.#saidUsage === null ? rest : { ...rest, usage: this.#saidUsage }))
  }

  accept({ data, event, raw, oversized }: SseEvent): FrameAction {
    if (this.done) return 'skip'
    if (oversized) return 'malformed'
    if (data === null && event !== 'error') return this.#acceptUnframed(raw.toString().trim())
    const chunk = data === null ? null : (readObject(data, eventLimits)?.body ?? null)
    if (event === 'error' || (chunk !== null && isErrorChunk(chunk))) return this.#fail(chunk)
    if (data === null || chunk === null) return data?.toString().trim() === '' ? 'skip' : 'malformed'
    const type = typeof chunk.type === 'string' ? chunk.type : event
    if (type === null || !/^\w+$/.test(type)) return 'malformed'
    const action = this.#acceptEvent(type, chunk, data)
    // Clients read the event name, which not every compatible provider writes.
    return action === 'forward' && event === null ? Buffer.from(frameOf(type, data.toString())) : action
  }

  /**
   * A frame without data is a comment, unless it is a JSON or HTML body that was sent with the media type of a stream.
   */
  #acceptUnframed(text: string): FrameAction {
    if (!text.startsWith('{') && !text.startsWith('<')) return 'forward'
    const body = parseChunk(text)
    return body !== null && isErrorChunk(body) ? this.#fail(body) : 'malformed'
  }

  #acceptEvent(type: string, event: Fields, data: Buffer): FrameAction {
    const action = this.#readEvent(type, event, data)
    if (action !== 'malformed' && action !== 'skip') this.#assembler.add(type, event)
    return action
  }

  #readEvent(type: string, event: Fields, data: Buffer): FrameAction {
    switch (type) {
      case 'message_start':
        if (this.#hasStarted) return this.#repeatStart()
        this.#hasStarted = true
        this.#startUsage = asObject(event.message)?.usage
        return asObject(this.#startUsage) === null ? Buffer.from(frameOf(type, giveUsage(data).toString())) : 'forward'
      case 'content_block_start':
        this.#hasBlock = true
        this.#noteResult(asObject(event.content_block))
        this.#isThinkingHidden = asObject(event.content_block)?.type === 'thinking'
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

  /** A search costs when its result is there. One that failed has an object with an error instead of a list. */
  #noteResult(block: Fields | null): void {
    if (block?.type === 'server_tool_use' && block.name === 'web_search') this.#openSearches += 1
    if (block?.type !== 'web_search_tool_result') return
    this.#openSearches = Math.max(0, this.#openSearches - 1)
    if (!Array.isArray(block.content)) return
    this.hostedCalls = { ...this.hostedCalls, webSearches: this.hostedCalls.webSearches + 1 }
  }

  /** Clients refuse a second start. After content it begins another message, which is not spliced into the first one. */
  #repeatStart(): FrameAction {
    return this.#hasBlock ? 'malformed' : 'skip'
  }

  #count(written: Fields | null): FrameAction {
    const { data, signature, thinking } = written ?? {}
    for (const piece of piecesOfBlock(written ?? {})) this.generated.add(piece)
    if (typeof thinking === 'string' && thinking !== '') this.#isThinkingHidden = false
    const encrypted = data ?? (this.#isThinkingHidden ? signature : null)
    if (typeof encrypted === 'string') this.generated.addHidden(encryptedTokens(encrypted.length))
    return 'forward'
  }

  /** Only the last `message_delta` is held back. When another one follows, the one before is forwarded. */
  #acceptDelta({ delta, usage }: Fields, data: Buffer): FrameAction {
    const before = this.#heldDelta
    this.#heldDelta = data
    const reason = asObject(delta)?.stop_reason
    if (typeof reason === 'string' && reason !== '') this.finished = true
    if (asObject(usage) !== null) {
      this.#saidUsage = laterMessagesUsage(this.#saidUsage ?? this.#startUsage, usage)
      this.#piecesAtUsage = this.generated.pieces
    }
    return before === null ? 'hold' : Buffer.from(frameOf('message_delta', giveUsage(before).toString()))
  }

  #fail(chunk: Fields | null): FrameAction {
    this.errorMessage = chunk === null ? null : errorMessageOf(chunk)
    return 'error'
  }
}

/**
 * Adds a usage of zeros to a `message_start` or `message_delta` that has none, because clients fail on a missing usage.
 * The last `message_delta` states the real usage.
 */
function giveUsage(data: Buffer): Buffer {
  const read = readObject(data)
  if (read === null) return data
  const { scan, body } = read
  if (body.type === 'message_delta') {
    return asObject(body.usage) === null ? editTopLevel(data, scan, { usage: '{"output_tokens":0}' }) : data
  }
  const message = asObject(body.message)
  if (message === null || asObject(message.usage) !== null) return data
  const zeros = '{"input_tokens":0,"output_tokens":0}'
  return editTopLevel(data, scan, { message: editMember(data, scan, 'message', { usage: zeros }) })
}

/**
 * The last frames of a stream: `message_delta` with the cost in its usage, and with the counted usage if the provider
 * reported none, then `message_stop`.
 *
 * @param delta the JSON of the provider's last `message_delta`; null when it sent none
 */
function messagesTail(delta: Buffer | null, charged: Charged): string {
  return frameOf('message_delta', withCost(delta ?? ownDelta, charged)) + messageEvent('message_stop', {})
}

function withCost(delta: Buffer, charged: Charged): string {
  const scan = scanJson(delta, replyLimits)
  if (!scan.ok) return withCost(ownDelta, { ...charged, isReported: false })
  const { usage, isReported, chargedNano } = charged
  const counts = isReported ? [] : Object.entries(wireMessagesUsage(usage))
  const ours = Object.fromEntries(counts.map(([name, count]) => [name, JSON.stringify(count)]))
  const edited = editMember(delta, scan, 'usage', { ...ours, cost_usd: formatUsd(chargedNano) })
  return editTopLevel(delta, scan, { usage: edited, ...conversationMember(charged) }).toString('utf8')
}
