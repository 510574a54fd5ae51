import { createHash } from 'node:crypto'
import type { RenderedTurn } from './render-exchange.ts'

/** Texts that stand in a prompt as data, between delimiters that carry a nonce. */
export interface DataBlock {
  readonly name: string
  readonly text: string
}

/** 128 bits. */
const nonceDigits = 32

/**
 * The nonce of a prompt: a hash of the id of what it is for and of all that stands between the delimiters. So a text that
 * holds it would have to hold its own hash, whoever wrote it and whatever they knew, and the same prompt is built each
 * time, which asking again for the answer to it needs.
 */
export function nonceOf(id: string, content: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([id, ...content]))
    .digest('hex')
    .slice(0, nonceDigits)
}

/** Blocks one behind another; each begins with a line `<<name nonce>>` and ends with the line `<<end nonce>>`. */
export function writeBlocks(blocks: readonly DataBlock[], nonce: string): string {
  return blocks.flatMap(({ name, text }) => [`<<${name} ${nonce}>>`, text, `<<end ${nonce}>>`]).join('\n')
}

/** A conversation as the text of a block; a line `<<role nonce>>` begins each turn. */
export function writeTurns(turns: readonly RenderedTurn[], nonce: string): string {
  return turns.flatMap(({ role, text }) => [`<<${role} ${nonce}>>`, text]).join('\n')
}
