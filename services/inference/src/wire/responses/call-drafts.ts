import { asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { CallSlots } from '../chat/call-slots.ts'
import type { ItemOutline } from './item-outline.ts'
import type { OutputCall } from './output-item.ts'

/** A tool call with the data that arrived before its name. It becomes an item when the name is known. */
interface CallDraft {
  item: OutputCall | null
  id: string
  earlyArguments: string
  extraContent: Fields | null
}

/** The tool calls of one response while they arrive, which may be interleaved. */
export class CallDrafts {
  /** Number of characters of all names and arguments. */
  characters = 0
  readonly #outline: ItemOutline
  readonly #onBegin: () => void
  readonly #slots = new CallSlots<CallDraft>(() => ({ item: null, id: '', earlyArguments: '', extraContent: null }))
  readonly #callIds = new Set<string>()

  /** @param onBegin called before the item of each call begins */
  constructor(outline: ItemOutline, onBegin: () => void) {
    this.#outline = outline
    this.#onBegin = onBegin
  }

  /** @param place index of the delta in the list of its chunk */
  add(delta: Fields, place: number): void {
    const reported = asObject(delta.function) ?? {}
    const draft = this.#slots.of({ index: delta.index, id: delta.id, name: reported.name }, place)
    if (draft === null) return
    const text = asText(reported.arguments) ?? ''
    this.characters += text.length
    if (draft.id === '') draft.id = asText(delta.id) ?? ''
    this.#keepExtra(draft, asObject(delta.extra_content))
    if (draft.item === null) draft.earlyArguments += text
    else this.#addArguments(draft.item, text)
    const name = asText(reported.name) ?? ''
    if (draft.item === null && name !== '') this.#begin(draft, name)
  }

  /** @param thoughts reasoning that the provider requires back with the first call of the turn */
  finish(status: 'completed' | 'incomplete', thoughts: readonly unknown[]): void {
    const [first] = this.#slots.all.flatMap(({ call }) => call.item ?? [])
    if (first !== undefined && thoughts.length > 0) first.reasoning_details = thoughts
    for (const { call } of this.#slots.all) {
      if (call.item === null) continue
      this.#outline.report('response.function_call_arguments.done', call.item, { arguments: call.item.arguments })
      this.#outline.end(call.item, status)
    }
  }

  /** Members that a provider requires back with a call are stored in its item. */
  #keepExtra(draft: CallDraft, extra: Fields | null): void {
    if (extra === null) return
    draft.extraContent = { ...draft.extraContent, ...extra }
    if (draft.item !== null) draft.item.extra_content = draft.extraContent
  }

  #begin(draft: CallDraft, name: string): void {
    this.#onBegin()
    const id = this.#outline.nextId('fc')
    const call_id = draft.id === '' || this.#callIds.has(draft.id) ? ownCallId(id) : draft.id
    this.#callIds.add(call_id)
    const item: OutputCall = { type: 'function_call', id, call_id, name, arguments: '', status: 'in_progress' }
    if (draft.extraContent !== null) item.extra_content = draft.extraContent
    draft.item = item
    this.characters += name.length
    this.#outline.begin(item)
    this.#addArguments(item, draft.earlyArguments)
  }

  #addArguments(call: OutputCall, delta: string): void {
    if (delta === '') return
    call.arguments += delta
    this.#outline.report('response.function_call_arguments.delta', call, { delta })
  }
}

/** Maximum length of a call id that OpenAI accepts in a chat completion. */
const maxCallIdLength = 40

/** An id for a call without one: that of its item without the first digit, which is the same for centuries. */
function ownCallId(itemId: string): string {
  const prefix = 'call_'
  return prefix + itemId.slice(-(maxCallIdLength - prefix.length))
}
