import { isObject } from '@ratchet/service-kit/values/json'
import type { Message } from './stored-exchange.ts'

/** The readable text of a message: its text parts, one per line. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

export interface ToolCall {
  readonly name: string
  /** JSON, as the model wrote it. */
  readonly arguments: string
}

/** The tool calls of an assistant's message, including the single call of the older format. */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : []
  const functions = calls.map((call) => (isObject(call) ? (call.function ?? call.custom) : undefined))
  return [...functions, message.function_call].filter(isObject).map((called) => ({
    name: String(called.name ?? ''),
    arguments: String(called.arguments ?? called.input ?? ''),
  }))
}

/** A reply as one text, with its tool calls behind the content. */
export function replyText(message: Message): string {
  const calls = toolCallsOf(message).map((call) => `[tool call] ${call.name}(${call.arguments})`)
  return [textOf(message.content), ...calls].filter((text) => text !== '').join('\n')
}

/** Removes the block of reasoning at the beginning of a text, because clients often remove it too. */
export function withoutReasoning(text: string): string {
  const start = text.trimStart()
  if (!start.startsWith('<think>')) return text
  const end = start.indexOf('</think>')
  return end === -1 ? '' : start.slice(end + '</think>'.length)
}
