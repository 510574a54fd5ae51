import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { appendText } from '../../wire/append-text.ts'
import { CallSlots } from '../../wire/chat/call-slots.ts'
import { RecordRoom } from '../../wire/record-room.ts'
import type { Recording } from '../surface.ts'

/** Maximum of any provider. It bounds the memory that a hostile provider can fill. */
const MAX_CHOICES = 128

/** Assembles the chunks of a stream into the completion that an unstreamed request would have returned. */
export interface ChatAssembler {
  /** The chunk belongs to the assembler from here on: it stores parts of it and changes them. */
  add(chunk: Fields, choices: readonly unknown[]): void
  /** True when the answer takes more memory than it may. It is not assembled then. */
  readonly isFull: boolean
  /** Null when no chunk arrived, or when the answer takes too much memory. */
  assemble(): Fields | null
}

type Draft = Record<string, unknown>

interface ChoiceDraft {
  readonly message: Draft
  readonly calls: CallSlots<Draft>
  finishReason: unknown
  logprobs: Draft | null
}

export function createChatAssembler(recording: Partial<Recording> = {}): ChatAssembler {
  return new Assembler(recording)
}

class Assembler implements ChatAssembler {
  readonly #recordsContent: boolean
  readonly #choices = new Map<number, ChoiceDraft>()
  readonly #room: RecordRoom
  #head: Fields | null = null

  constructor({ recordsContent = true, reserve }: Partial<Recording>) {
    this.#recordsContent = recordsContent
    this.#room = new RecordRoom(reserve)
  }

  get isFull(): boolean {
    return this.#room.isFull
  }

  add(chunk: Fields, choices: readonly unknown[]): void {
    if (this.#room.isFull) return
    this.#head ??= this.#headOf(chunk)
    for (const each of choices) this.#addChoice(asObject(each) ?? {})
    if (this.#room.isFull) this.#choices.clear()
  }

  assemble(): Fields | null {
    if (this.#head === null || this.#choices.size === 0) return null
    const { id, created, model, system_fingerprint, service_tier } = this.#head
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: [...this.#choices]
        .sort(([left], [right]) => left - right)
        .map(([index, draft]) => wholeChoice(index, draft)),
      ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
      ...(service_tier === undefined ? {} : { service_tier }),
    }
  }

  #headOf({ id, created, model, system_fingerprint, service_tier }: Fields): Fields {
    const head = { id, created, model, system_fingerprint, service_tier }
    this.#room.take(head)
    return head
  }

  #addChoice({ index: given, delta, finish_reason, logprobs }: Fields): void {
    const index = typeof given === 'number' ? given : 0
    const draft = this.#choices.get(index) ?? this.#beginChoice(index)
    if (draft === null) return
    if (finish_reason !== undefined && finish_reason !== null && finish_reason !== '') {
      draft.finishReason = finish_reason
      this.#room.take(finish_reason)
    }
    if (!this.#recordsContent) return
    const { tool_calls: calls, ...rest } = asObject(delta) ?? {}
    grow(draft.message, rest, this.#room)
    for (const [place, call] of asList(calls).entries()) this.#addCall(draft.calls, asObject(call) ?? {}, place)
    const tokens = asObject(logprobs)
    if (tokens === null) return
    // Log probabilities arrive token by token, under `content` and `refusal`.
    draft.logprobs ??= {}
    grow(draft.logprobs, tokens, this.#room)
  }

  #beginChoice(index: number): ChoiceDraft | null {
    if (this.#choices.size >= MAX_CHOICES) return null
    const draft = { message: {}, calls: new CallSlots<Draft>(() => ({})), finishReason: null, logprobs: null }
    this.#choices.set(index, draft)
    return draft
  }

  #addCall(calls: CallSlots<Draft>, { index, ...call }: Fields, place: number): void {
    const draft = calls.of({ index, id: call.id, name: asObject(call.function ?? call.custom)?.name }, place)
    if (draft !== null) grow(draft, call, this.#room)
  }
}

/** Members that identify something. A later chunk repeats such a member; it does not append to it. */
const names = new Set(['role', 'id', 'type', 'name', 'format', 'signature', 'thought_signature'])

/** Deltas of real providers are less deep. It bounds the recursion into a hostile one. */
const MAX_DEPTH = 8

/**
 * Merges a delta into `draft`, in place, so that the time does not depend on what arrived before: texts and lists are
 * appended, objects are merged member by member.
 */
function grow(draft: Draft, delta: Fields, room: RecordRoom, depth = 0): void {
  for (const [key, value] of Object.entries(delta)) {
    const isKnown = Object.hasOwn(draft, key)
    const before = isKnown ? draft[key] : undefined
    if (value === undefined || (value === null && before !== undefined)) continue
    if (!isKnown) room.takeName(key)
    draft[key] = grown({ key, before, value }, room, depth)
  }
}

interface Member {
  readonly key: string
  readonly before: unknown
  readonly value: unknown
}

function grown({ key, before, value }: Member, room: RecordRoom, depth: number): unknown {
  if (typeof before === 'string' && typeof value === 'string') {
    if (names.has(key) && before !== '') return before
    room.takePiece(value)
    return appendText(before, value)
  }
  const object = asObject(value)
  if (object === null || depth >= MAX_DEPTH) {
    room.take(value)
    return Array.isArray(before) && Array.isArray(value) ? appended(before, value) : value
  }
  const draft = (asObject(before) ?? {}) as Draft
  grow(draft, object, room, depth + 1)
  return draft
}

/** One by one: as the arguments of one call, a long list would exceed the stack. */
function appended(list: unknown[], more: readonly unknown[]): unknown[] {
  for (const item of more) list.push(item)
  return list
}

function wholeChoice(index: number, { message, calls, finishReason, logprobs }: ChoiceDraft) {
  const { content, refusal, ...rest } = message
  const ordered = [...calls.all].sort((left, right) => left.index - right.index).map(({ call }) => call)
  const hasCalls = ordered.length > 0
  return {
    index,
    message: {
      ...rest,
      role: 'assistant',
      content: content === '' && hasCalls ? null : (content ?? null),
      refusal: refusal ?? null,
      ...(hasCalls ? { tool_calls: ordered } : {}),
    },
    logprobs,
    finish_reason: finishReason,
  }
}
