import { createHash } from 'node:crypto'
import type { RenderedTurn } from './render-exchange.ts'

/** A text in a prompt as data, between delimiters with a nonce. */
export interface DataBlock {
  readonly name: string
  readonly text: string
}

/** 128 bits. */
const nonceDigits = 32

/**
 * The nonce of a prompt: a hash of the id of the judged item and of all texts between the delimiters. No text can contain
 * it, because it would have to contain its own hash. It is the same for a retry, so that the prompt is the same too.
 */
export function nonceOf(id: string, content: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([id, ...content]))
    .digest('hex')
    .slice(0, nonceDigits)
}

/** Each block begins with a line `<<name nonce>>` and ends with the line `<<end nonce>>`. */
export function writeBlocks(blocks: readonly DataBlock[], nonce: string): string {
  return blocks.flatMap(({ name, text }) => [`<<${name} ${nonce}>>`, text, `<<end ${nonce}>>`]).join('\n')
}

/** A conversation as the text of a block; a line `<<role nonce>>` begins each turn. */
export function writeTurns(turns: readonly RenderedTurn[], nonce: string): string {
  return turns.flatMap(({ role, text }) => [`<<${role} ${nonce}>>`, text]).join('\n')
}
