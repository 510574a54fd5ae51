import type { ChatChoice } from '../../answers/chat-choice.ts'
import { countTokens, tokensOf } from '../../answers/tokenize.ts'
import type { Fields } from '../read-fields.ts'
import { parseJson } from '../read-fields.ts'
import { thoughtSignature } from './thought-signature.ts'

/** A part of an answer, and the pieces in which a stream sends it. */
export interface AnswerPart {
  part: Fields
  pieces: Iterable<{ part: Fields; tokens: number }>
  /** True when its tokens are thoughts and not part of the candidate. */
  isThought: boolean
}

/**
 * Thoughts, text and calls of an answer. A stream has text token by token and each call in one piece. The first call is
 * signed. A call that the limit cut off is left out.
 */
export function answerParts({ content, toolCalls }: ChatChoice, thoughts: string, name: string): AnswerPart[] {
  const calls = toolCalls.flatMap((call, index): AnswerPart[] => {
    const args = parseJson(call.arguments)
    if (args === null) return []
    const signature = index === 0 ? { thoughtSignature: thoughtSignature(name) } : {}
    const part = { functionCall: { id: call.id, name: call.name, args }, ...signature }
    return [{ part, pieces: [{ part, tokens: 1 + countTokens(call.arguments) }], isThought: false }]
  })
  return [
    ...(thoughts === '' ? [] : [textPart(thoughts, { thought: true })]),
    ...(content === null || content === '' ? [] : [textPart(content, {})]),
    ...calls,
  ]
}

function textPart(text: string, more: Fields): AnswerPart {
  return {
    part: { text, ...more },
    pieces: textPieces(text, more),
    isThought: more.thought === true,
  }
}

function* textPieces(text: string, more: Fields): Generator<{ part: Fields; tokens: number }> {
  for (const token of tokensOf(text)) yield { part: { text: token, ...more }, tokens: 1 }
}
