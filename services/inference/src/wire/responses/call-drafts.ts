import { asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { CallSlots } from '../chat/call-slots.ts'
import { customInput } from '../custom-tools.ts'
import type { ItemOutline } from './item-outline.ts'
import type { OutputCall, OutputCustomCall } from './output-item.ts'

/** A tool call with the data that arrived before its name. It becomes an item when the name is known. */
interface CallDraft {
  item: OutputCall | OutputCustomCall | null
  id: string
  /** Those before the name; for a custom tool all of them, because its input is known at their end. */
  earlyArguments: string
  extraContent: Fields | null
}

/** The tool calls of one response while they arrive, which may be interleaved. */
export class CallDrafts {
  /** Number of characters of all names and arguments. */
  characters = 0
  readonly #outline: ItemOutline
  readonly #onBegin: () => void
  readonly #customNames: ReadonlySet<unknown>
  readonly #slots = new CallSlots<CallDraft>(() => ({ item: null, id: '', earlyArguments: '', extraContent: null }))
  readonly #callIds = new Set<string>()

  /**
   * @param customNames the functions that stand for custom tools of the request
   * @param onBegin called before the item of each call begins
   */
  constructor(outline: ItemOutline, customNames: ReadonlySet<unknown>, onBegin: () => void) {
    this.#outline = outline
    this.#customNames = customNames
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
    if (draft.item?.type === 'function_call') this.#addArguments(draft.item, text)
    else draft.earlyArguments += text
    const name = asText(reported.name) ?? ''
    if (draft.item === null && name !== '') this.#begin(draft, name)
  }

  /** @param thoughts reasoning that the provider requires back with the first call of the turn */
  finish(status: 'completed' | 'incomplete', thoughts: readonly unknown[]): void {
    const [first] = this.#slots.all.flatMap(({ call }) => call.item ?? [])
    if (first !== undefined && thoughts.length > 0) first.reasoning_details = thoughts
    for (const { call } of this.#slots.all) {
      if (call.item === null) continue
      if (call.item.type === 'custom_tool_call') this.#addInput(call.item, customInput(call.earlyArguments))
      else this.#outline.report('response.function_call_arguments.done', call.item, argumentsOf(call.item))
      this.#outline.end(call.item, status)
    }
  }

  /** Members that a provider requires back with a call are stored in its item. */
  #keepExtra(draft: CallDraft, extra: Fields | null): void {
    if (extra === null) return
    // Changed in place: a hostile provider may add a member with each of very many deltas.
    draft.extraContent = Object.assign(draft.extraContent ?? {}, extra)
    if (draft.item !== null) draft.item.extra_content = draft.extraContent
  }

  #begin(draft: CallDraft, name: string): void {
    this.#onBegin()
    const isCustom = this.#customNames.has(name)
    const id = this.#outline.nextId(isCustom ? 'ctc' : 'fc')
    const call_id = draft.id === '' || this.#callIds.has(draft.id) ? ownCallId(id) : draft.id
    this.#callIds.add(call_id)
    const common = { id, call_id, name, status: 'in_progress' } as const
    const item: OutputCall | OutputCustomCall = isCustom
      ? { type: 'custom_tool_call', ...common, input: '' }
      : { type: 'function_call', ...common, arguments: '' }
    if (draft.extraContent !== null) item.extra_content = draft.extraContent
    draft.item = item
    this.characters += name.length
    this.#outline.begin(item)
    if (item.type === 'function_call') this.#addArguments(item, draft.earlyArguments)
  }

  /** The input is inside of JSON, so it is reported as a whole. */
  #addInput(call: OutputCustomCall, input: string): void {
    call.input = input
    if (input !== '') this.#outline.report('response.custom_tool_call_input.delta', call, { delta: input })
    this.#outline.report('response.custom_tool_call_input.done', call, { input })
  }

  #addArguments(call: OutputCall, delta: string): void {
    if (delta === '') return
    call.arguments += delta
    this.#outline.report('response.function_call_arguments.delta', call, { delta })
  }
}

function argumentsOf({ name, arguments: text }: OutputCall): object {
  return { name, arguments: text }
}

/** Maximum length of a call id that OpenAI accepts in a chat completion. */
const maxCallIdLength = 40

/** An id for a call without one: that of its item without the first digit, which is the same for centuries. */
function ownCallId(itemId: string): string {
  const prefix = 'call_'
  return prefix + itemId.slice(-(maxCallIdLength - prefix.length))
}
