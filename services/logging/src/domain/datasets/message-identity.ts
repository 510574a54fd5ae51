import { hash } from 'node:crypto'
import { textOf, toolCallsOf, withoutReasoning } from './message-text.ts'
import { isRecord, type Message } from './stored-exchange.ts'

/** A digest that goes on from another: equal chains mean equal conversations. 32 hex digits. */
export function chainHash(before: string, text: string): string {
  return hash('sha256', `${before}\n${text}`, 'hex').slice(0, 32)
}

/**
 * What makes two messages the same one. An answer and the copy of it that the client sends back differ in members that
 * nobody set, in spaces at the ends, in ids of calls and in how arguments are spaced.
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
  return isRecord(part) && typeof part.text === 'string'
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text.trim()
  }
}

/**
 * What makes two prompts the same one to whoever learns from them: case, spaces and, in instructions, numbers such as
 * today's date say nothing.
 */
export function looseIdentity(message: Message): string {
  const text = textOf(message.content)
  const masked = isInstruction(message) ? text.replace(/\d+/g, '0') : text
  const calls = toolCallsOf(message).map((call) => `${call.name}(${compactJson(call.arguments)})`)
  return [message.role, masked, ...calls].join(' ').toLowerCase().split(/\s+/).join(' ').trim()
}

export function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}
