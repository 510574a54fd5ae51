import type { RecordRoom } from '../record-room.ts'
import type { SignedThought } from '../signed-thoughts.ts'
import { createJsonEnd, type JsonEnd } from './json-end.ts'
import { messageEvent } from './message-event.ts'

/**
 * Writes the content blocks of a Messages stream, with one open block at a time, as clients expect. When a provider
 * interleaves several blocks, those after the open one wait for its end.
 */
export interface BlockWriter {
  /** Writes text. It continues the last block when that has the same kind. */
  text(kind: 'text' | 'thinking', piece: string): string
  /**
   * Writes the signature of the thinking before it, or thinking without a text. A signature that comes after other
   * content is left out: its block has ended.
   */
  thought(block: SignedThought): string
  /** Begins a block for a tool call. Members of `call` beside its id and name become members of the block. */
  beginCall(call: { readonly id: string; readonly name: string }): { readonly block: Block; readonly frames: string }
  /** Writes a piece of a call's input. */
  input(block: Block, piece: string): string
  /** The answer has ended: writes everything that waits, and the end of every block. */
  end(): string
}

/** @param room counts what waits */
export function createBlockWriter(room: RecordRoom): BlockWriter {
  return new Writer(room)
}

/** A block that was begun. The caller passes it back to continue it. */
export interface Block {
  readonly index: number
  readonly kind: 'text' | 'thinking' | 'redacted' | 'call'
  readonly begun: object
  /** Deltas that wait until the block is the open one. */
  readonly waiting: object[]
  /** Finds the end of a call's input. */
  readonly json: JsonEnd
  /** True for thinking with a signature, which ends it. */
  isSigned: boolean
}

const emptyBlocks = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const

class Writer implements BlockWriter {
  /** Blocks that have not ended; the first is the open one. */
  readonly #blocks: Block[] = []
  readonly #room: RecordRoom
  #begunCount = 0
  /** True when a text or a call has begun. */
  #hasContent = false

  constructor(room: RecordRoom) {
    this.#room = room
  }

  text(kind: 'text' | 'thinking', piece: string): string {
    const last = this.#blocks.at(-1)
    const delta = kind === 'text' ? { type: 'text_delta', text: piece } : { type: 'thinking_delta', thinking: piece }
    if (last?.kind === kind && !last.isSigned) return this.#add(last, delta)
    const block = this.#newBlock(kind, emptyBlocks[kind])
    return this.#begin(block) + this.#add(block, delta)
  }

  thought(thought: SignedThought): string {
    const last = this.#blocks.at(-1)
    const isOpen = last?.kind === 'thinking' && !last.isSigned
    if (!isOpen && this.#hasContent) return ''
    if (thought.type === 'redacted_thinking') return this.#begin(this.#newBlock('redacted', thought))
    const block = isOpen ? last : this.#newBlock('thinking', emptyBlocks.thinking)
    block.isSigned = true
    const delta = { type: 'signature_delta', signature: thought.signature }
    return (isOpen ? '' : this.#begin(block)) + this.#add(block, delta)
  }

  beginCall({ id, name, ...more }: { readonly id: string; readonly name: string }): { block: Block; frames: string } {
    const block = this.#newBlock('call', { type: 'tool_use', id, name, input: {}, ...more })
    return { block, frames: this.#begin(block) }
  }

  input(block: Block, piece: string): string {
    block.json.push(piece)
    const frames = this.#add(block, { type: 'input_json_delta', partial_json: piece })
    return frames + this.#advance()
  }

  end(): string {
    let frames = ''
    while (this.#blocks.length > 0) frames += this.#endFirst()
    return frames
  }

  #newBlock(kind: Block['kind'], begun: object): Block {
    const block = { index: this.#begunCount, kind, begun, waiting: [], json: createJsonEnd(), isSigned: false }
    this.#begunCount += 1
    this.#hasContent ||= kind === 'text' || kind === 'call'
    return block
  }

  #begin(block: Block): string {
    this.#blocks.push(block)
    return this.#blocks.length === 1 ? startOf(block) : this.#advance()
  }

  #add(block: Block, delta: object): string {
    if (block === this.#blocks[0]) return deltaOf(block, delta)
    block.waiting.push(delta)
    this.#room.take(delta)
    return ''
  }

  /** Ends open blocks that are complete, as long as others wait. */
  #advance(): string {
    let frames = ''
    while (this.#blocks.length > 1 && mayEnd(this.#blocks[0])) frames += this.#endFirst()
    return frames
  }

  #endFirst(): string {
    const ended = this.#blocks.shift()
    const next = this.#blocks[0]
    const stop = ended === undefined ? '' : messageEvent('content_block_stop', { index: ended.index })
    if (next === undefined) return stop
    const deltas = next.waiting.splice(0).map((delta) => deltaOf(next, delta))
    return stop + startOf(next) + deltas.join('')
  }
}

/**
 * Text may end whenever another block waits, because later text begins a new block. A call may end when its input is
 * complete.
 */
function mayEnd(block: Block | undefined): boolean {
  return block !== undefined && (block.kind !== 'call' || block.json.reached)
}

function startOf({ index, begun }: Block): string {
  return messageEvent('content_block_start', { index, content_block: begun })
}

function deltaOf({ index }: Block, delta: object): string {
  return messageEvent('content_block_delta', { index, delta })
}
