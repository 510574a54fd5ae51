import { readChatReply, readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, writeChatReply } from '../../wire/chat/write-chat.ts'
import type { ProviderFailure, ProviderReply } from '../../wire/provider.ts'
import { malformedAnswer } from '../provider-error.ts'
import { finishReasonOf } from './finish-reason.ts'
import { type Answer, readAnswer, type Said, toolCallOf } from './read-answer.ts'

/**
 * Converts a complete answer of `generateContent` to a chat completion; null when it is not one, a failure when the
 * model's output is invalid.
 *
 * @param fallback values for what Google does not state
 */
export function convertReply(bytes: Buffer, fallback: ChatHead): ProviderReply | ProviderFailure | null {
  const read = readObject(bytes)
  const answer = read === null ? null : readAnswer(read.body)
  if (answer === null || answer.finishReason === null) return null
  const head = headOf(answer, fallback)
  const toolCalls = answer.said
    .filter((said) => said.kind === 'call')
    .map((said, index) => toolCallOf(said, fallback.id, index))
  const finishReason = finishReasonOf(answer.finishReason, toolCalls.length > 0)
  if (finishReason === null) return malformedAnswer(answer.usage)
  const message = {
    text: joined(answer.said, 'text'),
    reasoning: joined(answer.said, 'thought'),
    toolCalls,
    finishReason,
  }
  const reply = readChatReply(writeChatReply(head, message, answer.usage))
  return reply === null ? null : { ...reply, usage: answer.usage }
}

/** The id and the model of an answer, with `fallback` where Google gives none. */
export function headOf({ id, model }: Answer, fallback: ChatHead): ChatHead {
  return {
    id: id === null ? fallback.id : `chatcmpl-${id}`,
    created: fallback.created,
    model: model ?? fallback.model,
  }
}

function joined(said: readonly Said[], kind: 'text' | 'thought'): string | null {
  const texts = said.flatMap((each) => (each.kind === kind && 'text' in each ? [each.text] : []))
  return texts.length === 0 ? null : texts.join('')
}
