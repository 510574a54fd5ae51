import { asObject, type Fields } from '@ratchet/service-kit/values/json'

/**
 * True when the turn that the model continues began with thinking, or when it begins a new turn. A model with a
 * thinking budget refuses to think inside a turn, between tool calls, that began without thinking.
 *
 * @param messages in Anthropic's form, not validated
 */
export function beganWithThought(messages: readonly unknown[]): boolean {
  let begun: Fields | null = null
  let before: unknown = null
  let isAnswered = false
  for (const message of messages.toReversed()) {
    const fields = asObject(message) ?? {}
    if (fields.role === 'assistant') {
      if (!isAnswered) break
      begun = fields
    } else if (fields.role === 'user') {
      isAnswered = (before === 'user' && isAnswered) || hasResult(fields)
    }
    before = fields.role
  }
  return begun === null || isThought(blocksOf(begun)[0])
}

/** The messages without thinking. A message that had nothing else is left out. */
export function withoutThoughts<Message extends { readonly content: readonly Fields[] }>(
  messages: readonly Message[],
): Message[] {
  return messages
    .map((message) => ({ ...message, content: message.content.filter((block) => !isThought(block)) }))
    .filter(({ content }) => content.length > 0)
}

function hasResult(message: Fields): boolean {
  return blocksOf(message).some((block) => asObject(block)?.type === 'tool_result')
}

function blocksOf({ content }: Fields): readonly unknown[] {
  return Array.isArray(content) ? content : []
}

function isThought(block: unknown): boolean {
  const type = asObject(block)?.type
  return type === 'thinking' || type === 'redacted_thinking'
}
