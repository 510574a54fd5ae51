import type { ChatChoice } from '../../answers/chat-choice.ts'
import { parseJson } from '../read-fields.ts'

/** One block of an answer. */
export type ContentBlock =
  | { reasoningContent: { reasoningText: { text: string; signature: string } } }
  | { text: string }
  | { toolUse: { toolUseId: string; name: string; input: unknown } }

/** A block, and the text that a stream sends piece by piece. */
export interface AnswerBlock {
  block: ContentBlock
  text: string
}

/** An answer as blocks: reasoning, text, calls. A call that the limit cut off has an empty input. */
export function answerBlocks({ content, toolCalls }: ChatChoice, thinking: string): AnswerBlock[] {
  const reasoningText = { text: thinking, signature: 'c2lnbmF0dXJl' }
  const calls = toolCalls.map(({ id, name, arguments: text }): AnswerBlock => {
    return {
      block: { toolUse: { toolUseId: id.replace('call_', 'tooluse_'), name, input: parseJson(text) ?? {} } },
      text,
    }
  })
  return [
    ...(thinking === '' ? [] : [{ block: { reasoningContent: { reasoningText } }, text: thinking }]),
    ...(content === null || content === '' ? [] : [{ block: { text: content }, text: content }]),
    ...calls,
  ]
}
