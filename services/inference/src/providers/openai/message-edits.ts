import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { JsonEdits } from '../../wire/json/edit-json.ts'

/** Members that other providers add to their answers, and that clients send back with them. */
const foreign = ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content'] as const

/**
 * The edits for a provider that accepts only OpenAI's own members of messages: members of other providers are removed.
 * There are no edits when there are no such members.
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
  const own = without(fields)
  return callsOf(fields).length === 0 ? own : { ...own, tool_calls: callsOf(fields).map(plain) }
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !foreign.some((each) => each === name)))
}

function callsOf({ tool_calls: calls }: Fields): readonly unknown[] {
  return Array.isArray(calls) ? calls : []
}
