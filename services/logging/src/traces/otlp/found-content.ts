import type { ChatMessage } from '../../chat-form/chat-message.ts'

/** What one of the conventions finds in a span: messages, answer and tools, as in a chat completion; null for what it does not have. */
export interface FoundContent {
  readonly messages: readonly ChatMessage[]
  readonly response: ChatMessage | null
  readonly tools: readonly unknown[] | null
  readonly finishReason: string | null
}
