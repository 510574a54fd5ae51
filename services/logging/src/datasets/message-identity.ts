import { hash } from 'node:crypto'
import { isObject } from '@ratchet/service-kit/values/json'
import { textOf, toolCallsOf, withoutReasoning } from './message-text.ts'
import type { Message } from './stored-exchange.ts'

/** A hash that continues another one, so that equal hashes mean equal conversations. 32 hex digits. */
export function chainHash(before: string, text: string): string {
  return hash('sha256', `${before}\n${text}`, 'hex').slice(0, 32)
}

/**
 * A key that is equal for equal messages. It ignores the differences between an answer and the copy that a client sends
 * back: unset members, spaces at the ends, ids of calls and white space in arguments.
 */
export function messageIdentity(message: Message): string {
  const calls = toolCallsOf(message).map((call) => [call.name, compactJson(call.arguments)])
  return JSON.stringify([message.role, contentIdentity(message), calls])
}

function contentIdentity({ role, content }: Message): unknown {
  const isPlain = typeof content === 'string' || !Array.isArray(content) || content.every(isText)
  if (!isPlain) return JSON.stringify(content)
  const text = textOf(content)
  return (role === 'assistant' ? withoutReasoning(text) : text).trim()
}

function isText(part: unknown): boolean {
  return isObject(part) && typeof part.text === 'string'
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text.trim()
  }
}

/**
 * A key that is equal for messages that are equal as training data. It ignores case, white space and, in instructions,
 * numbers such as today's date.
 */
export function looseIdentity(message: Message): string {
  const text = textOf(message.content)
  const masked = isInstruction(message) ? text.replace(/\d+/g, '0') : text
  const calls = toolCallsOf(message).map((call) => `${call.name}(${compactJson(call.arguments)})`)
  return [message.role, masked, ...calls].join(' ').toLowerCase().replace(/\s+/g, ' ').trim()
}

export function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}
