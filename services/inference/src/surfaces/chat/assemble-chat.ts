import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { CallSlots } from '../../wire/chat/call-slots.ts'

/** Maximum of any provider. It bounds the memory that a hostile provider can fill. */
const MAX_CHOICES = 128

/** Assembles the chunks of a stream into the completion that an unstreamed request would have returned. */
export interface ChatAssembler {
  add(chunk: Fields, choices: readonly unknown[]): void
  /** Null when no chunk arrived. */
  assemble(): Fields | null
}

type Draft = Record<string, unknown>

interface ChoiceDraft {
  readonly message: Draft
  readonly calls: CallSlots<Draft>
  finishReason: unknown
  logprobs: Draft | null
}

export function createChatAssembler(): ChatAssembler {
  const choices = new Map<number, ChoiceDraft>()
  let head: Fields | null = null
  return {
    add(chunk, given) {
      head ??= chunk
      for (const each of given) addChoice(choices, asObject(each) ?? {})
    },
    assemble() {
      if (head === null || choices.size === 0) return null
      const { id, created, model, system_fingerprint, service_tier } = head
      return {
        id,
        object: 'chat.completion',
        created,
        model,
        choices: [...choices]
          .sort(([left], [right]) => left - right)
          .map(([index, draft]) => wholeChoice(index, draft)),
        ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
        ...(service_tier === undefined ? {} : { service_tier }),
      }
    },
  }
}

function addChoice(choices: Map<number, ChoiceDraft>, { index: given, delta, finish_reason, logprobs }: Fields): void {
  const index = typeof given === 'number' ? given : 0
  const known = choices.get(index)
  if (known === undefined && choices.size >= MAX_CHOICES) return
  const draft = known ?? { message: {}, calls: new CallSlots<Draft>(() => ({})), finishReason: null, logprobs: null }
  if (known === undefined) choices.set(index, draft)
  if (finish_reason !== undefined && finish_reason !== null && finish_reason !== '') draft.finishReason = finish_reason
  const { tool_calls: calls, ...rest } = asObject(delta) ?? {}
  grow(draft.message, rest)
  for (const [place, call] of (Array.isArray(calls) ? calls : []).entries()) {
    addCall(draft.calls, asObject(call) ?? {}, place)
  }
  const tokens = asObject(logprobs)
  if (tokens !== null) draft.logprobs = withTokens(draft.logprobs, tokens)
}

function addCall(calls: CallSlots<Draft>, { index, ...call }: Fields, place: number): void {
  const draft = calls.of({ index, id: call.id, name: asObject(call.function ?? call.custom)?.name }, place)
  if (draft !== null) grow(draft, call)
}

/** Members that identify something. A later chunk repeats such a member; it does not append to it. */
const names = new Set(['role', 'id', 'type', 'name', 'format', 'signature', 'thought_signature'])

/** Deltas of real providers are less deep. It bounds the recursion into a hostile one. */
const MAX_DEPTH = 8

/** Merges a delta into `draft`: texts and lists are appended, objects are merged member by member. */
function grow(draft: Draft, delta: Fields, depth = 0): void {
  for (const [key, value] of Object.entries(delta)) {
    const before = Object.hasOwn(draft, key) ? draft[key] : undefined
    if (value === undefined || (value === null && before !== undefined)) continue
    draft[key] = grown({ key, before, value, depth })
  }
}

function grown({ key, before, value, depth }: { key: string; before: unknown; value: unknown; depth: number }) {
  if (typeof before === 'string' && typeof value === 'string') {
    return names.has(key) && before !== '' ? before : before + value
  }
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value]
  const object = asObject(value)
  if (object === null || depth >= MAX_DEPTH) return value
  const draft: Draft = { ...asObject(before) }
  grow(draft, object, depth + 1)
  return draft
}

/** Log probabilities arrive token by token, under `content` and `refusal`. */
function withTokens(before: Draft | null, logprobs: Fields): Draft {
  const draft: Draft = { ...before }
  grow(draft, logprobs)
  return draft
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
