import { asList, asObject, asText, type Fields } from './fields.ts'
import type { OutputCall, OutputItem, OutputMessage, OutputReasoning } from './output-item.ts'
import { readTexts } from './read-texts.ts'
import { itemIdOf } from './response-id.ts'

/** Hears every event of the draft, but for those of the response as a whole. */
export type OnDraftEvent = (type: string, members: object) => void

/** A response's output while it is put together from what a chat completion says. */
export interface ResponseDraft {
  /** All items so far, in the order in which they began. */
  readonly items: readonly OutputItem[]
  /** Characters of everything the model wrote. */
  readonly characters: number
  /** Takes what a chunk's delta adds, or a whole message. */
  add(delta: Fields, logprobs?: unknown): void
  /** Ends every item that is open. */
  finish(status: 'completed' | 'incomplete'): void
}

export function createResponseDraft(requestId: string, onEvent: OnDraftEvent): ResponseDraft {
  return new Draft(requestId, onEvent)
}

/** The most calls that are told apart; bounds what is remembered of a hostile provider. */
const MAX_CALLS = 1_024

type TextItem = OutputMessage | OutputReasoning
type TextPart = TextItem['content'][number]

/** A call that has no name yet, and what came of its arguments. */
interface EarlyCall {
  readonly id: string
  readonly arguments: string
}

class Draft implements ResponseDraft {
  readonly items: OutputItem[] = []
  characters = 0
  readonly #requestId: string
  readonly #onEvent: OnDraftEvent
  /** The message or the reasoning that text is added to. */
  #open: TextItem | null = null
  readonly #calls = new Map<number, OutputCall>()
  readonly #early = new Map<number, EarlyCall>()
  readonly #callIds = new Set<string>()
  readonly #indexes = new Map<OutputItem, number>()

  constructor(requestId: string, onEvent: OnDraftEvent) {
    this.#requestId = requestId
    this.#onEvent = onEvent
  }

  add(delta: Fields, logprobs?: unknown): void {
    const { text, reasoning } = readTexts(delta)
    this.#addReasoning(reasoning)
    this.#addText(text, logprobs)
    this.#addRefusal(asText(delta.refusal) ?? '')
    for (const [place, call] of asList(delta.tool_calls).entries()) this.#addCall(asObject(call) ?? {}, place)
    const legacy = asObject(delta.function_call)
    if (legacy !== null) this.#addCall({ index: 0, function: legacy }, 0)
  }

  finish(status: 'completed' | 'incomplete'): void {
    this.#closeText(status)
    for (const call of this.#calls.values()) this.#closeCall(call, status)
    this.#calls.clear()
  }

  #addReasoning(delta: string): void {
    if (delta === '') return
    if (this.#open?.type !== 'reasoning') this.#beginReasoning()
    const item = this.#open
    const part = item?.content[0]
    if (item?.type !== 'reasoning' || part?.type !== 'reasoning_text') return
    part.text += delta
    this.#said('response.reasoning_text.delta', item, { delta })
  }

  #addText(delta: string, logprobs: unknown): void {
    if (delta === '') return
    const item = this.#messageWith('output_text')
    const part = item.content.at(-1)
    if (part?.type !== 'output_text') return
    const tokens = asList(asObject(logprobs)?.content)
    part.text += delta
    part.logprobs.push(...tokens)
    this.#said('response.output_text.delta', item, { delta, logprobs: tokens })
  }

  #addRefusal(delta: string): void {
    if (delta === '') return
    const item = this.#messageWith('refusal')
    const part = item.content.at(-1)
    if (part?.type !== 'refusal') return
    part.refusal += delta
    this.#said('response.refusal.delta', item, { delta })
  }

  /** The open message, with a part of this type at its end; begins what is missing. */
  #messageWith(type: 'output_text' | 'refusal'): OutputMessage {
    const open = this.#open?.type === 'message' ? this.#open : this.#beginMessage()
    if (open.content.at(-1)?.type === type) return open
    this.#closePart(open)
    const part =
      type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] as unknown[] }
    open.content.push(part)
    this.#partEvent('response.content_part.added', open)
    return open
  }

  #beginMessage(): OutputMessage {
    const id = this.#nextId('msg')
    const item: OutputMessage = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] }
    this.#beginText(item)
    return item
  }

  #beginReasoning(): void {
    const id = this.#nextId('rs')
    const item: OutputReasoning = { type: 'reasoning', id, summary: [], content: [], status: 'in_progress' }
    this.#beginText(item)
    item.content.push({ type: 'reasoning_text', text: '' })
    this.#partEvent('response.content_part.added', item)
  }

  #beginText(item: TextItem): void {
    this.#closeText('completed')
    this.#open = item
    this.#begin(item)
  }

  #addCall(delta: Fields, place: number): void {
    const index = this.#indexOf(delta, place)
    const { name, arguments: more } = asObject(delta.function) ?? {}
    const known = this.#calls.get(index) ?? this.#callNamed(index, asText(name) ?? '', asText(delta.id) ?? '')
    if (known !== null) this.#addArguments(known, asText(more) ?? '')
    else this.#keepEarly(index, { id: asText(delta.id) ?? '', arguments: asText(more) ?? '' })
  }

  /** Begins the call now that it has its name, with what came before that; null while it has none. */
  #callNamed(index: number, name: string, id: string): OutputCall | null {
    if (name === '' || this.#calls.size >= MAX_CALLS) return null
    const early = this.#early.get(index)
    this.#early.delete(index)
    const call = this.#beginCall(index, name, early === undefined || early.id === '' ? id : early.id)
    this.#addArguments(call, early?.arguments ?? '')
    return call
  }

  #keepEarly(index: number, came: EarlyCall): void {
    const early = this.#early.get(index)
    if (early === undefined && this.#early.size >= MAX_CALLS) return
    const id = early === undefined || early.id === '' ? came.id : early.id
    this.characters += came.arguments.length
    this.#early.set(index, { id, arguments: (early?.arguments ?? '') + came.arguments })
  }

  /** Some vendors leave the index out: then an id begins a call, and what has none goes on with the last one. */
  #indexOf({ index, id }: Fields, place: number): number {
    if (typeof index === 'number') return index
    const count = this.#calls.size + this.#early.size
    return asText(id) === null ? Math.max(count - 1, place) : count
  }

  #beginCall(index: number, name: string, given: string): OutputCall {
    this.#closeText('completed')
    const id = this.#nextId('fc')
    const call_id = given === '' || this.#callIds.has(given) ? `call_${id.slice(3)}` : given
    this.#callIds.add(call_id)
    const call: OutputCall = { type: 'function_call', id, call_id, name, arguments: '', status: 'in_progress' }
    this.#calls.set(index, call)
    this.characters += name.length
    this.#begin(call)
    return call
  }

  #addArguments(call: OutputCall, delta: string): void {
    if (delta === '') return
    call.arguments += delta
    this.characters += delta.length
    const place = { item_id: call.id, output_index: this.#indexes.get(call) }
    this.#onEvent('response.function_call_arguments.delta', { ...place, delta })
  }

  #closeText(status: 'completed' | 'incomplete'): void {
    const item = this.#open
    if (item === null) return
    this.#closePart(item)
    this.#open = null
    this.#done(item, status)
  }

  #closePart(item: TextItem): void {
    const part = item.content.at(-1)
    if (part === undefined) return
    const { type, ...said } = part
    if (type === 'output_text') this.#onEvent('response.output_text.done', { ...this.#place(item), ...textOf(part) })
    else this.#onEvent(`response.${type}.done`, { ...this.#place(item), ...said })
    this.#partEvent('response.content_part.done', item)
  }

  #closeCall(call: OutputCall, status: 'completed' | 'incomplete'): void {
    const place = { item_id: call.id, output_index: this.#indexes.get(call) }
    this.#onEvent('response.function_call_arguments.done', { ...place, arguments: call.arguments })
    this.#done(call, status)
  }

  #begin(item: OutputItem): void {
    this.#indexes.set(item, this.items.length)
    this.items.push(item)
    this.#onEvent('response.output_item.added', { output_index: this.#indexes.get(item), item })
  }

  #done(item: OutputItem, status: 'completed' | 'incomplete'): void {
    item.status = status
    this.#onEvent('response.output_item.done', { output_index: this.#indexes.get(item), item })
  }

  #partEvent(type: string, item: TextItem): void {
    this.#onEvent(type, { ...this.#place(item), part: item.content.at(-1) })
  }

  #said(
    type: string,
    item: TextItem,
    members: { readonly delta: string; readonly logprobs?: readonly unknown[] },
  ): void {
    this.characters += members.delta.length
    this.#onEvent(type, { ...this.#place(item), ...members })
  }

  #place(item: TextItem) {
    return { item_id: item.id, output_index: this.#indexes.get(item), content_index: item.content.length - 1 }
  }

  #nextId(prefix: 'msg' | 'rs' | 'fc'): string {
    return itemIdOf(prefix, this.#requestId, this.items.length)
  }
}

function textOf(part: TextPart) {
  return part.type === 'output_text' ? { text: part.text, logprobs: part.logprobs } : {}
}
