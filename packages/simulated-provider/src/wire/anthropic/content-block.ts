import type { ChatChoice } from '../../answers/chat-choice.ts'
import { parseJson } from '../read-fields.ts'
import { signatureOf } from './thought-rules.ts'

/** One block of an answer. */
export type ContentBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }

/** A block, and the text that a stream sends piece by piece. */
export interface AnswerBlock {
  block: ContentBlock
  text: string
}

/** An answer as blocks: thinking, text, calls. A call that the limit cut off has an empty input. */
export function answerBlocks(choice: ChatChoice, thinking: string): AnswerBlock[] {
  const { content, toolCalls } = choice
  const thought: ContentBlock = { type: 'thinking', thinking, signature: signatureOf(thinking) }
  const calls = toolCalls.map(({ id, name, arguments: text }): AnswerBlock => {
    return { block: { type: 'tool_use', id: id.replace('call_', 'toolu_'), name, input: parseJson(text) ?? {} }, text }
  })
  return [
    ...(thinking === '' ? [] : [{ block: thought, text: thinking }]),
    ...(content === null || content === '' ? [] : [{ block: { type: 'text' as const, text: content }, text: content }]),
    ...calls,
  ]
}
