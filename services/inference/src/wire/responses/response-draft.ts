import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { appendText } from '../append-text.ts'
import { readTexts } from '../chat/read-texts.ts'
import { customNames } from '../custom-tools.ts'
import type { ProviderRequest } from '../provider.ts'
import { CallDrafts } from './call-drafts.ts'
import { createItemOutline, type ItemOutline, type OnDraftEvent } from './item-outline.ts'
import type { OutputItem, OutputMessage, OutputReasoning } from './output-item.ts'

/** The output of a response while it is assembled from chat completion chunks. */
export interface ResponseDraft {
  /** All items so far, in the order in which they began. */
  readonly items: readonly OutputItem[]
  /** Number of characters that the model generated. */
  readonly characters: number
  /** Adds the delta of a chunk, or a complete message. */
  add(delta: Fields, logprobs?: unknown): void
  /** Ends every open item. */
  finish(status: 'completed' | 'incomplete'): void
}

export function createResponseDraft(
  { requestId, body }: Pick<ProviderRequest, 'requestId' | 'body'>,
  onEvent: OnDraftEvent,
): ResponseDraft {
  return new Draft(createItemOutline(requestId, onEvent), customNames(body))
}

type TextItem = OutputMessage | OutputReasoning

class Draft implements ResponseDraft {
  readonly #outline: ItemOutline
  readonly #calls: CallDrafts
  /** The message or the reasoning that receives text. */
  #open: TextItem | null = null
  #textCharacters = 0
  readonly #thoughts: unknown[] = []

  constructor(outline: ItemOutline, custom: ReadonlySet<unknown>) {
    this.#outline = outline
    this.#calls = new CallDrafts(outline, custom, () => this.#closeText('completed'))
  }

  get items(): readonly OutputItem[] {
    return this.#outline.items
  }

  get characters(): number {
    return this.#textCharacters + this.#calls.characters
  }

  add(delta: Fields, logprobs?: unknown): void {
    const { text, reasoning } = readTexts(delta)
    this.#addReasoning(reasoning)
    this.#keepThoughts(asList(delta.reasoning_details))
    this.#addText(text, logprobs)
    this.#addRefusal(asText(delta.refusal) ?? '')
    for (const [place, call] of asList(delta.tool_calls).entries()) this.#calls.add(asObject(call) ?? {}, place)
    const legacy = asObject(delta.function_call)
    if (legacy !== null) this.#calls.add({ index: 0, function: legacy }, 0)
  }

  finish(status: 'completed' | 'incomplete'): void {
    this.#closeText(status)
    this.#calls.finish(status, this.#thoughts)
  }

  #keepThoughts(details: readonly unknown[]): void {
    for (const detail of details) {
      const { text, summary, data, signature } = asObject(detail) ?? {}
      for (const written of [text, summary, data, signature]) this.#textCharacters += asText(written)?.length ?? 0
      this.#thoughts.push(detail)
    }
  }

  #addReasoning(delta: string): void {
    if (delta === '') return
    const item = this.#open?.type === 'reasoning' ? this.#open : this.#beginReasoning()
    const [part] = item.content
    if (part === undefined) return
    part.text = appendText(part.text, delta)
    this.#said('response.reasoning_text.delta', item, { delta })
  }

  #addText(delta: string, logprobs: unknown): void {
    if (delta === '') return
    const item = this.#messageWith('output_text')
    const part = item.content.at(-1)
    if (part?.type !== 'output_text') return
    const tokens = asList(asObject(logprobs)?.content)
    part.text = appendText(part.text, delta)
    for (const token of tokens) part.logprobs.push(token)
    this.#said('response.output_text.delta', item, { delta, logprobs: tokens })
  }

  #addRefusal(delta: string): void {
    if (delta === '') return
    const item = this.#messageWith('refusal')
    const part = item.content.at(-1)
    if (part?.type !== 'refusal') return
    part.refusal = appendText(part.refusal, delta)
    this.#said('response.refusal.delta', item, { delta })
  }

  /** The open message with a last part of this type; missing ones are begun. */
  #messageWith(type: 'output_text' | 'refusal'): OutputMessage {
    const open = this.#open?.type === 'message' ? this.#open : this.#beginMessage()
    if (open.content.at(-1)?.type === type) return open
    this.#closePart(open)
    open.content.push(type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] })
    this.#writePart('response.content_part.added', open)
    return open
  }

  #beginMessage(): OutputMessage {
    const id = this.#outline.nextId('msg')
    const item: OutputMessage = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] }
    this.#beginText(item)
    return item
  }

  #beginReasoning(): OutputReasoning {
    const id = this.#outline.nextId('rs')
    const item: OutputReasoning = { type: 'reasoning', id, summary: [], content: [], status: 'in_progress' }
    this.#beginText(item)
    item.content.push({ type: 'reasoning_text', text: '' })
    this.#writePart('response.content_part.added', item)
    return item
  }

  #beginText(item: TextItem): void {
    this.#closeText('completed')
    this.#open = item
    this.#outline.begin(item)
  }

  #closeText(status: 'completed' | 'incomplete'): void {
    const item = this.#open
    if (item === null) return
    this.#closePart(item)
    this.#open = null
    this.#outline.end(item, status)
  }

  #closePart(item: TextItem): void {
    const part = item.content.at(-1)
    if (part === undefined) return
    const said = part.type === 'output_text' ? { text: part.text, logprobs: part.logprobs } : withoutType(part)
    this.#write(`response.${part.type}.done`, item, said)
    this.#writePart('response.content_part.done', item)
  }

  #writePart(type: string, item: TextItem): void {
    this.#write(type, item, { part: item.content.at(-1) })
  }

  #said(type: string, item: TextItem, members: { readonly delta: string; readonly logprobs?: unknown }): void {
    this.#textCharacters += members.delta.length
    this.#write(type, item, members)
  }

  /** Reports an event of the item's last part. */
  #write(type: string, item: TextItem, members: object): void {
    this.#outline.report(type, item, { content_index: item.content.length - 1, ...members })
  }
}

function withoutType({ type: _known, ...members }: { readonly type: string }): object {
  return members
}
