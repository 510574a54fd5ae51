import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { appendText } from '../../wire/append-text.ts'
import { readExactObject } from '../../wire/json/exact-json.ts'
import { RecordRoom } from '../../wire/record-room.ts'
import type { Recording } from '../surface.ts'

/** Assembles the events of a stream into the message that an unstreamed request would have returned. */
export interface MessageAssembler {
  /** The event belongs to the assembler from here on: it stores parts of it and changes them. */
  add(type: string, event: Fields): void
  /** True when the message takes more memory than it may. It is not assembled then. */
  readonly isFull: boolean
  /**
   * Null when the stream did not begin with `message_start`, has an event that cannot be merged, or takes too much
   * memory.
   */
  assemble(): Fields | null
}

/** More than any answer has. It bounds the memory that a hostile provider can fill. */
const blocksMax = 10_000

interface BlockDraft {
  readonly block: Record<string, unknown>
  /** The concatenated pieces of a tool's input; null before the first one. */
  json: string | null
}

export function createMessageAssembler({ recordsContent = true, reserve }: Partial<Recording> = {}): MessageAssembler {
  const drafts = new Map<number, BlockDraft>()
  const room = new RecordRoom(reserve)
  const top: Record<string, unknown> = {}
  let head: Fields | null = null
  let isWhole = true
  const content: Readonly<Record<string, (event: Fields) => boolean>> = {
    content_block_start({ index, content_block: given }) {
      const block = asObject(given)
      if (typeof index !== 'number' || block === null || drafts.size >= blocksMax) return false
      room.take(block)
      drafts.set(index, { block, json: null })
      return true
    },
    content_block_delta({ index, delta }) {
      const draft = drafts.get(index as number)
      return draft !== undefined && addDelta(draft, asObject(delta) ?? {}, room)
    },
  }
  const adders: Readonly<Record<string, (event: Fields) => boolean>> = {
    message_start({ message }) {
      head = asObject(message)
      room.take(head)
      return head !== null
    },
    message_delta({ delta }) {
      const ending = asObject(delta) ?? {}
      room.take(ending)
      Object.assign(top, ending)
      return true
    },
    ...(recordsContent ? content : {}),
  }
  return {
    get isFull() {
      return room.isFull
    },
    add(type, event) {
      const adder = Object.hasOwn(adders, type) && isWhole ? adders[type] : undefined
      if (adder === undefined) return
      isWhole = adder(event) && !room.isFull
      if (!isWhole) drafts.clear()
    },
    assemble() {
      if (head === null || !isWhole) return null
      const blocks = [...drafts].sort(([left], [right]) => left - right).map(([, draft]) => wholeBlock(draft))
      return blocks.includes(null) ? null : { ...head, content: blocks, ...top }
    },
  }
}

/** Changes the block in place. False when the delta does not fit it. */
function addDelta(draft: BlockDraft, delta: Fields, room: RecordRoom): boolean {
  const { block } = draft
  room.take(delta)
  switch (delta.type) {
    case 'text_delta':
      block.text = appendText(textOf(block.text), textOf(delta.text))
      return true
    case 'thinking_delta':
      block.thinking = appendText(textOf(block.thinking), textOf(delta.thinking))
      return true
    case 'signature_delta':
      block.signature = delta.signature
      return true
    case 'citations_delta':
      block.citations = appended(block.citations, delta.citation)
      return true
    case 'input_json_delta':
      draft.json = appendText(textOf(draft.json), textOf(delta.partial_json))
      return true
    default:
      return false
  }
}

function appended(list: unknown, item: unknown): readonly unknown[] {
  if (!Array.isArray(list)) return [item]
  list.push(item)
  return list
}

function wholeBlock({ block, json }: BlockDraft): Fields | null {
  if (json === null || json.trim() === '') return block
  const input = readExactObject(Buffer.from(json))
  return input === null ? null : { ...block, input }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
