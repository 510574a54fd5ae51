import type { ChatMessage } from './chat-message.ts'

/**
 * One message of all that a model said in one answer: some APIs and SDKs have a message for each text, for each call and for
 * the reasoning. Null without any.
 */
export function joinAnswers(messages: readonly ChatMessage[]): ChatMessage | null {
  const [first, ...others] = messages
  return first === undefined ? null : joinAll([first, ...others])
}

/**
 * Calls and reasoning of all, and the content of all, as texts or as parts. Read in one pass: an answer may have very many
 * pieces.
 */
export function joinAll(messages: readonly [ChatMessage, ...ChatMessage[]]): ChatMessage {
  const [first, ...others] = messages
  if (others.length === 0) return first
  const joined: ChatMessage = { ...first }
  for (const next of others) Object.assign(joined, next)
  const calls = messages.flatMap(({ tool_calls: made }) => made ?? [])
  const reasoning = messages.flatMap(({ reasoning_content: text }) => (text === undefined || text === '' ? [] : [text]))
  return {
    ...joined,
    content: joinContents(messages.map(({ content }) => content)),
    ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join('\n') }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** Texts are one text up to the first content that has parts. */
function joinContents(contents: readonly ChatMessage['content'][]): ChatMessage['content'] {
  const said = contents.filter((content) => content !== null && content !== '')
  if (said.length === 0) return null
  const end = said.findIndex((content) => typeof content !== 'string')
  const text = said.slice(0, end < 0 ? said.length : end).join('\n\n')
  return end < 0 ? text : [...(end === 0 ? [] : [text]), ...said.slice(end)].flat()
}
