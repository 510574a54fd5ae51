import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../catalog/catalog.ts'

/** Members in which providers write the reasoning of an answer as text. */
const spoken = ['reasoning_content', 'reasoning'] as const
/** Members that other providers add to their answers, and that clients send back with them. */
const foreign = [...spoken, 'reasoning_details', 'extra_content'] as const

type Taker = Pick<CatalogModel, 'strictMessages' | 'historyReasoning'>

/**
 * The edits of messages for a provider that accepts only its own members of them: members of other providers are
 * removed, and reasoning gets the provider's name for it, if it has one. There are no edits when there are no such
 * members.
 */
export function messageEdits(messages: unknown, { strictMessages, historyReasoning }: Taker): JsonEdits {
  if (!Array.isArray(messages)) return {}
  if (strictMessages) {
    if (!messages.some(hasForeign)) return {}
    return { messages: JSON.stringify(messages.map((message) => plain(message, historyReasoning))) }
  }
  if (historyReasoning !== 'reasoning' || !messages.some(hasOtherName)) return {}
  return { messages: JSON.stringify(messages.map(renamed)) }
}

/** True for reasoning that has the name of most hosts, but not that of others. */
function hasOtherName(message: unknown): boolean {
  const { reasoning_content, reasoning } = asObject(message) ?? {}
  return typeof reasoning_content === 'string' && reasoning === undefined
}

function renamed(message: unknown): unknown {
  if (!hasOtherName(message)) return message
  const { reasoning_content: reasoning, ...rest } = asObject(message) ?? {}
  return { ...rest, reasoning }
}

function hasForeign(message: unknown): boolean {
  const fields = asObject(message)
  if (fields === null) return false
  return foreign.some((name) => Object.hasOwn(fields, name)) || callsOf(fields).some(hasForeign)
}

function plain(message: unknown, reasoning: Taker['historyReasoning']): unknown {
  const fields = asObject(message)
  if (fields === null || !hasForeign(message)) return message
  const own = { ...without(fields), ...thoughtIn(fields, reasoning) }
  return callsOf(fields).length === 0 ? own : { ...own, tool_calls: callsOf(fields).map((call) => plain(call, null)) }
}

function thoughtIn(fields: Fields, reasoning: Taker['historyReasoning']): Fields {
  if (reasoning === null || reasoning === 'signed') return {}
  const text = spoken.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '')
  return text === undefined ? {} : { [reasoning]: text }
}

function without(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !foreign.some((each) => each === name)))
}

function callsOf({ tool_calls: calls }: Fields): readonly unknown[] {
  return Array.isArray(calls) ? calls : []
}
