import { toText } from './parse-json-text.ts'

/** A message of a chat completion. */
export interface ChatMessage {
  readonly role: string
  readonly content: unknown
  readonly name?: string
  readonly reasoning_content?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

export interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

const roles: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['ai', 'assistant'],
  ['model', 'assistant'],
  ['function', 'tool'],
  ['reasoning', 'assistant'],
])

/** Converts a role to its name in chat completions. */
export function chatRole(role: unknown, fallback: string): string {
  if (typeof role !== 'string' || role === '') return fallback
  const name = role.toLowerCase()
  return roles.get(name) ?? name
}

export function toolCall(id: unknown, name: unknown, args: unknown): ToolCall {
  return { id: toText(id), type: 'function', function: { name: toText(name), arguments: toText(args) } }
}

export interface MessageDraft {
  readonly role: string
  readonly parts: readonly unknown[]
  readonly name?: unknown
  readonly reasoning?: string
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: unknown
}

/**
 * Builds a message. Its content is a text for a single text part, null if it only calls tools, and otherwise a list.
 */
export function chatMessage({ role, parts, name, reasoning, toolCalls = [], toolCallId }: MessageDraft): ChatMessage {
  return {
    role,
    content: contentOf(parts, toolCalls.length > 0),
    ...(typeof name === 'string' ? { name } : {}),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(typeof toolCallId === 'string' ? { tool_call_id: toolCallId } : {}),
  }
}

function contentOf(parts: readonly unknown[], callsTools: boolean): unknown {
  const [first] = parts
  if (first === undefined) return callsTools ? null : ''
  if (parts.length > 1) return parts
  const { type, text } = first as { type?: unknown; text?: unknown }
  return type === 'text' && typeof text === 'string' ? text : parts
}

export function textPart(text: unknown): { type: 'text'; text: string } {
  return { type: 'text', text: toText(text) }
}
