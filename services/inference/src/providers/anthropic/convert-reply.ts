import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'
import { readChatReply, readObject } from '../../wire/chat/read-reply.ts'
import { type ChatHead, type ToolCall, writeChatReply } from '../../wire/chat/write-chat.ts'
import { parseExact } from '../../wire/json/exact-json.ts'
import { readMessagesUsage } from '../../wire/messages/read-message.ts'
import type { ProviderReply } from '../../wire/provider.ts'
import { finishReasonOf } from './stop-reason.ts'
import { detailsOf } from './thinking-details.ts'

/** A whole message as a chat completion; null when it is none. @param fallback for what the message does not say */
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

/** What Anthropic says of why it refused, where it says anything. */
export function refusalOf({ stop_details: details }: Fields): string | null {
  const explanation = asObject(details)?.explanation
  return typeof explanation === 'string' && explanation !== '' ? explanation : null
}

const longestName = 256

/** What an answer is called. */
export function headOf({ id, model }: Fields, fallback: ChatHead): ChatHead {
  return {
    ...fallback,
    id: typeof id === 'string' && id !== '' ? id.slice(0, longestName) : fallback.id,
    model: typeof model === 'string' && model !== '' ? model.slice(0, longestName) : fallback.model,
  }
}

/** The text that all blocks of a type have under its name. */
function joined(blocks: readonly Fields[], type: 'text' | 'thinking'): string {
  return blocks
    .filter((block) => block.type === type)
    .map((block) => block[type])
    .filter((text) => typeof text === 'string')
    .join('')
}

/** The calls of a message, read once more so that the numbers in their inputs keep all their digits. */
function readCalls(bytes: Buffer): ToolCall[] {
  const content = asObject(parseExact(bytes.toString()))?.content
  return (Array.isArray(content) ? content : []).flatMap((value) => {
    const { type, id, name, input } = asObject(value) ?? {}
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return []
    return [{ id, name, arguments: JSON.stringify(input ?? {}) }]
  })
}
