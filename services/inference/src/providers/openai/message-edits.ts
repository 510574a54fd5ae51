import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'
import type { JsonEdits } from '../../wire/json/edit-json.ts'

/** What other providers say in their answers, and clients that keep whole answers send back. */
const foreign = ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content'] as const

/**
 * What a provider wants changed that knows no members of messages but OpenAI's own: what came from another provider
 * is left out. Nothing is changed where there is no such thing.
 */
export function messageEdits(messages: unknown): JsonEdits {
  if (!Array.isArray(messages) || !messages.some(hasForeign)) return {}
  return { messages: JSON.stringify(messages.map(plain)) }
}

function hasForeign(message: unknown): boolean {
  const fields = asObject(message)
  if (fields === null) return false
  return foreign.some((name) => Object.hasOwn(fields, name)) || callsOf(fields).some(hasForeign)
}

function plain(message: unknown): unknown {
  const fields = asObject(message)
  if (fields === null || !hasForeign(message)) return message
  const kept = without(fields)
  return callsOf(fields).length === 0 ? kept : { ...kept, tool_calls: callsOf(fields).map(plain) }
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !foreign.some((each) => each === name)))
}

function callsOf({ tool_calls: calls }: Fields): readonly unknown[] {
  return Array.isArray(calls) ? calls : []
}
