import { type DataBlock, nonceOf, writeBlocks, writeTurns } from './data-blocks.ts'
import type { JudgePrompt } from './judge-choice.ts'
import type { RenderedQuestion } from './render-exchange.ts'

export interface DataPromptRequest {
  /** Id of what is judged. Prompts with different ids have different delimiters. */
  readonly id: string
  /** The conversation before the judged answers. */
  readonly question: RenderedQuestion
  /** The other blocks, in the order in which they are shown. A block whose text is null is left out. */
  readonly blocks: readonly OptionalBlock[]
  /** Writes the instructions, which explain delimiters with this nonce. */
  readonly writeInstructions: (nonce: string) => string
}

interface OptionalBlock {
  readonly name: string
  readonly text: string | null
}

/** Maximum size of all shown texts together, characters after rendering. No logged exchange is larger. */
export const maxJudgedChars = 1_000_000

/**
 * Builds a judge's prompt, with the judged texts as data between delimiters with a nonce that occurs in none of them. The
 * same request gives the same prompt. Null when it would be too large: texts are never cut, because a verdict on a part of
 * an answer means nothing.
 */
export function buildDataPrompt({ id, question, blocks, writeInstructions }: DataPromptRequest): JudgePrompt | null {
  const { turns, tools } = question
  const texts = blocks.map(({ text }) => text)
  const shown = [...turns.map(({ text }) => text), tools, ...texts]
  if (shown.reduce((size, text) => size + (text?.length ?? 0), 0) > maxJudgedChars) return null
  const nonce = nonceOf(id, [turns, tools, ...texts])
  const conversation = { name: 'conversation', text: writeTurns(turns, nonce) }
  const offered = { name: 'tools', text: tools === '' ? null : tools }
  return {
    system: writeInstructions(nonce),
    user: writeBlocks([conversation, offered, ...blocks].filter(isShown), nonce),
  }
}

function isShown(block: OptionalBlock): block is DataBlock {
  return block.text !== null
}
