import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readChatReply, readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, type ToolCall, type WrittenMessage, writeChatReply } from '../../wire/chat/write-chat.ts'
import type { ProviderFailure, ProviderReply } from '../../wire/provider.ts'
import { detailsOf } from '../../wire/signed-thoughts.ts'
import { malformedAnswer } from '../provider-error.ts'
import { readConverseUsage } from './converse-usage.ts'
import { finishReasonOf, isMalformed } from './finish-reason.ts'
import { signsReasoning, thoughtIn } from './signed-reasoning.ts'

/**
 * Converts a complete Converse answer to a chat completion; null when it cannot be read, a failure when Bedrock marks
 * it as malformed. Never throws.
 */
export function convertReply(bytes: Buffer, head: ChatHead): ProviderReply | ProviderFailure | null {
  const body = readObject(bytes)?.body
  const blocks = contentOf(body)
  if (body === undefined || blocks === null) return null
  if (isMalformed(body.stopReason)) return malformedAnswer(readConverseUsage(body.usage, head.model))
  const written: WrittenMessage = {
    text: joined(blocks.map(textOf)),
    reasoning: joined(blocks.map(reasoningOf)),
    reasoningDetails: signsReasoning(head.model) ? detailsOf(blocks.flatMap(thoughtIn)) : [],
    toolCalls: blocks.some((block) => block.toolUse !== undefined) ? toolCallsIn(bytes) : [],
    finishReason: finishReasonOf(body.stopReason),
  }
  return readChatReply(writeChatReply(head, written, readConverseUsage(body.usage, head.model)))
}

function contentOf(body: Fields | undefined): readonly Fields[] | null {
  const content = asObject(asObject(body?.output)?.message)?.content
  return Array.isArray(content) ? content.map((block) => asObject(block)).filter((block) => block !== null) : null
}

function textOf({ text, citationsContent }: Fields): string | null {
  if (typeof text === 'string') return text
  const cited = asObject(citationsContent)?.content
  return Array.isArray(cited) ? joined(cited.map((piece) => textOf({ text: asObject(piece)?.text }))) : null
}

function reasoningOf({ reasoningContent }: Fields): string | null {
  const text = asObject(asObject(reasoningContent)?.reasoningText)?.text
  return typeof text === 'string' ? text : null
}

/** Null when there is no text. */
function joined(texts: readonly (string | null)[]): string | null {
  const given = texts.filter((text) => text !== null)
  return given.length === 0 ? null : given.join('')
}

/** The body is parsed again, so that numbers in the arguments keep all digits. */
function toolCallsIn(bytes: Buffer): ToolCall[] {
  const blocks = contentOf(asObject(parseExact(bytes.toString())) ?? {}) ?? []
  return blocks.flatMap(({ toolUse }) => {
    const use = asObject(toolUse)
    if (typeof use?.toolUseId !== 'string' || typeof use.name !== 'string') return []
    return [{ id: use.toolUseId, name: use.name, arguments: JSON.stringify(use.input ?? {}) }]
  })
}
