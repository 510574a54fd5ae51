import { createHash } from 'node:crypto'
import { type Fields, isFields } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'

/** The signature of thinking, which cannot be forged or changed. */
export function signatureOf(thinking: string): string {
  return createHash('sha256').update(`simulated ${thinking}`).digest('base64')
}

/**
 * Thinking must be sent back unchanged.
 *
 * @throws WireError 400
 */
export function checkThought(block: Fields, path: string): void {
  if (block.type === 'redacted_thinking' && typeof block.data !== 'string') throw missing(`${path}.data`)
  if (block.type !== 'thinking') return
  if (typeof block.thinking !== 'string') throw missing(`${path}.thinking`)
  if (typeof block.signature !== 'string') throw missing(`${path}.signature`)
  if (block.signature === signatureOf(block.thinking)) return
  throw new WireError(400, `${path}: Invalid \`signature\` in \`thinking\` block`)
}

/**
 * With a budget, thinking comes before the first call of a turn, and must be sent back until the turn ends.
 *
 * @param turns in order, each with the blocks of its content
 * @throws WireError 400
 */
export function checkTurnUnderWay(turns: readonly unknown[]): void {
  let first = -1
  for (let at = turns.length - 1; at > 0 && blocksOf(turns[at]).some(({ type }) => type === 'tool_result'); at -= 2) {
    first = at - 1
  }
  const found = blocksOf(turns[first])[0]?.type
  if (first === -1 || found === 'thinking' || found === 'redacted_thinking') return
  const message = `messages.${first}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
  throw new WireError(400, message)
}

function blocksOf(turn: unknown): readonly Fields[] {
  return isFields(turn) && Array.isArray(turn.content) ? turn.content.filter(isFields) : []
}

function missing(path: string): WireError {
  return new WireError(400, `${path}: Field required`)
}
