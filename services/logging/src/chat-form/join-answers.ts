import type { ChatMessage } from './chat-message.ts'

/**
 * One message of all that a model said in one answer: some APIs and SDKs have a message for each text, for each call and for
 * the reasoning. Null without any.
 */
export function joinAnswers(messages: readonly ChatMessage[]): ChatMessage | null {
  const [first, ...others] = messages
  return first === undefined ? null : others.reduce(joinTwo, first)
}

/** Calls and reasoning of both, and the content of both, as texts or as parts. */
export function joinTwo(before: ChatMessage, next: ChatMessage): ChatMessage {
  const said = [before.content, next.content].filter((content) => content !== null && content !== '')
  const areTexts = said.every((content) => typeof content === 'string')
  const calls = [...(before.tool_calls ?? []), ...(next.tool_calls ?? [])]
  const reasoning = [before.reasoning_content, next.reasoning_content].filter(
    (text) => text !== undefined && text !== '',
  )
  return {
    ...before,
    ...next,
    content: said.length === 0 ? null : areTexts ? said.join('\n\n') : said.flat(),
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('\n') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}
