import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readExactObject } from '../../wire/json/exact-json.ts'

/** Assembles the events of a stream into the message that an unstreamed request would have returned. */
export interface MessageAssembler {
  add(type: string, event: Fields): void
  /** Null when the stream did not begin with `message_start` or has an event that cannot be merged. */
  assemble(): Fields | null
}

/** More than any answer has. It bounds the memory that a hostile provider can fill. */
const blocksMax = 10_000

interface BlockDraft {
  block: Fields
  /** The concatenated pieces of a tool's input; null before the first one. */
  json: string | null
}

export function createMessageAssembler(): MessageAssembler {
  const drafts = new Map<number, BlockDraft>()
  let head: Fields | null = null
  let top: Fields = {}
  let isWhole = true
  const adders: Readonly<Record<string, (event: Fields) => boolean>> = {
    message_start({ message }) {
      head = asObject(message)
      return head !== null
    },
    content_block_start({ index, content_block: given }) {
      const block = asObject(given)
      if (typeof index !== 'number' || block === null || drafts.size >= blocksMax) return false
      drafts.set(index, { block, json: null })
      return true
    },
    content_block_delta({ index, delta }) {
      const draft = drafts.get(index as number)
      return draft !== undefined && addDelta(draft, asObject(delta) ?? {})
    },
    message_delta({ delta }) {
      top = { ...top, ...asObject(delta) }
      return true
    },
  }
  return {
    add(type, event) {
      const adder = Object.hasOwn(adders, type) ? adders[type] : undefined
      if (adder !== undefined && !adder(event)) isWhole = false
    },
    assemble() {
      if (head === null || !isWhole) return null
      const content = [...drafts].sort(([left], [right]) => left - right).map(([, draft]) => wholeBlock(draft))
      return content.includes(null) ? null : { ...head, content, ...top }
    },
  }
}

/** False when the delta does not fit its block. */
function addDelta(draft: BlockDraft, delta: Fields): boolean {
  const { block } = draft
  switch (delta.type) {
    case 'text_delta':
      draft.block = { ...block, text: textOf(block.text) + textOf(delta.text) }
      return true
    case 'thinking_delta':
      draft.block = { ...block, thinking: textOf(block.thinking) + textOf(delta.thinking) }
      return true
    case 'signature_delta':
      draft.block = { ...block, signature: delta.signature }
      return true
    case 'citations_delta':
      draft.block = { ...block, citations: [...listOf(block.citations), delta.citation] }
      return true
    case 'input_json_delta':
      draft.json = textOf(draft.json) + textOf(delta.partial_json)
      return true
    default:
      return false
  }
}

function wholeBlock({ block, json }: BlockDraft): Fields | null {
  if (json === null || json.trim() === '') return block
  const input = readExactObject(Buffer.from(json))
  return input === null ? null : { ...block, input }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
