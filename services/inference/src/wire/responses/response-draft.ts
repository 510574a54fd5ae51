import { CallDrafts } from './call-drafts.ts'
import { asList, asObject, asText, type Fields } from './fields.ts'
import { createItemOutline, type ItemOutline, type OnDraftEvent } from './item-outline.ts'
import type { OutputItem, OutputMessage, OutputReasoning } from './output-item.ts'
import { readTexts } from './read-texts.ts'

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
  return new Draft(createItemOutline(requestId, onEvent))
}

type TextItem = OutputMessage | OutputReasoning

class Draft implements ResponseDraft {
  readonly #outline: ItemOutline
  readonly #calls: CallDrafts
  /** The message or the reasoning that text is added to. */
  #open: TextItem | null = null
  #textCharacters = 0
  readonly #thoughts: unknown[] = []

  constructor(outline: ItemOutline) {
    this.#outline = outline
    this.#calls = new CallDrafts(outline, () => this.#closeText('completed'))
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
    for (const token of tokens) part.logprobs.push(token)
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
    open.content.push(type === 'refusal' ? { type, refusal: '' } : { type, text: '', annotations: [], logprobs: [] })
    this.#tellPart('response.content_part.added', open)
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
    this.#tellPart('response.content_part.added', item)
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
    this.#tell(`response.${part.type}.done`, item, said)
    this.#tellPart('response.content_part.done', item)
  }

  #tellPart(type: string, item: TextItem): void {
    this.#tell(type, item, { part: item.content.at(-1) })
  }

  #said(type: string, item: TextItem, members: { readonly delta: string; readonly logprobs?: unknown }): void {
    this.#textCharacters += members.delta.length
    this.#tell(type, item, members)
  }

  /** An event of the item's last part. */
  #tell(type: string, item: TextItem, members: object): void {
    this.#outline.report(type, item, { content_index: item.content.length - 1, ...members })
  }
}

function withoutType({ type: _known, ...members }: { readonly type: string }): object {
  return members
}
