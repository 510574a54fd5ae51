import { readChatReply, readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, writeChatReply } from '../../wire/chat/write-chat.ts'
import type { ProviderFailure, ProviderReply } from '../../wire/provider.ts'
import { spoiledAnswer } from '../provider-error.ts'
import { finishReasonOf } from './finish-reason.ts'
import { type Answer, readAnswer, type Said, toolCallOf } from './read-answer.ts'

/**
 * A whole answer of `generateContent` as a chat completion; null when it is none, a failure when the model's went wrong.
 *
 * @param fallback what it is called where Google does not name it
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
  if (finishReason === null) return spoiledAnswer()
  const message = {
    text: joined(answer.said, 'text'),
    reasoning: joined(answer.said, 'thought'),
    toolCalls,
    finishReason,
  }
  const reply = readChatReply(writeChatReply(head, message, answer.usage))
  return reply === null ? null : { ...reply, usage: answer.usage }
}

/** How Google names the answer, in the place of our own names for it. */
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
