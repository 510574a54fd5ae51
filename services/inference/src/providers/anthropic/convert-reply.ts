import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readChatReply, readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, type ToolCall, writeChatReply } from '../../wire/chat/write-chat.ts'
import { readMessagesUsage } from '../../wire/messages/read-message.ts'
import type { ProviderReply } from '../../wire/provider.ts'
import { detailsOf } from '../../wire/signed-thoughts.ts'
import { finishReasonOf } from './stop-reason.ts'

/**
 * Converts a complete message to a chat completion; null when it is not a message.
 *
 * @param fallback values for what the message does not state
 */
export function convertReply(bytes: Buffer, fallback: ChatHead): ProviderReply | null {
  const message = readObject(bytes)?.body ?? null
  if (message?.type !== 'message' || !Array.isArray(message.content)) return null
  const blocks = message.content.map((block) => asObject(block) ?? {})
  const toolCalls = blocks.some(({ type }) => type === 'tool_use') ? readCalls(bytes) : []
  const text = joined(blocks, 'text')
  const reasoning = joined(blocks, 'thinking')
  const written = writeChatReply(
    headOf(message, fallback),
    {
      text: text === '' && toolCalls.length > 0 ? null : text,
      reasoning: reasoning === '' ? null : reasoning,
      reasoningDetails: detailsOf(blocks),
      refusal: refusalOf(message),
      toolCalls,
      finishReason: finishReasonOf(message.stop_reason),
    },
    readMessagesUsage(message.usage),
  )
  return readChatReply(written)
}

/** Anthropic's explanation of a refusal; null when it gives none. */
export function refusalOf({ stop_details: details }: Fields): string | null {
  const explanation = asObject(details)?.explanation
  return typeof explanation === 'string' && explanation !== '' ? explanation : null
}

const maxNameLength = 256

/** The id and the model of an answer. */
export function headOf({ id, model }: Fields, fallback: ChatHead): ChatHead {
  return {
    ...fallback,
    id: typeof id === 'string' && id !== '' ? id.slice(0, maxNameLength) : fallback.id,
    model: typeof model === 'string' && model !== '' ? model.slice(0, maxNameLength) : fallback.model,
  }
}

/** The concatenated texts of all blocks of a type. */
function joined(blocks: readonly Fields[], type: 'text' | 'thinking'): string {
  return blocks
    .filter((block) => block.type === type)
    .map((block) => block[type])
    .filter((text) => typeof text === 'string')
    .join('')
}

/** The tool calls of a message, parsed again so that the numbers in their inputs keep all digits. */
function readCalls(bytes: Buffer): ToolCall[] {
  const content = asObject(parseExact(bytes.toString()))?.content
  return (Array.isArray(content) ? content : []).flatMap((value) => {
    const { type, id, name, input } = asObject(value) ?? {}
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return []
    return [{ id, name, arguments: JSON.stringify(input ?? {}) }]
  })
}
