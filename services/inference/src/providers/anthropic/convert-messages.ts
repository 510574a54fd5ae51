import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { thoughtsOf } from '../../wire/signed-thoughts.ts'
import { checkMembers } from '../check-members.ts'
import { calledFunctionRules, toolCallRules } from '../common-members.ts'
import { plainCallId } from '../plain-call-id.ts'
import { readToolArguments } from '../tool-arguments.ts'
import { messageRules } from './chat-parameters.ts'
import { convertContent } from './convert-content.ts'

export interface Conversation {
  /** The text blocks of all system and developer messages. */
  readonly system: readonly Fields[]
  /** Messages with alternating roles. */
  readonly messages: readonly Turn[]
}

export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Fields[]
}

/**
 * Converts chat messages to Anthropic's form. System messages are separate, and roles alternate, so consecutive
 * messages of one role become one; tool results belong to the user. Messages without content are left out, except that
 * the last one must have content: otherwise an earlier answer would be last, and the model would continue it.
 *
 * @throws Refusal when a message cannot be converted
 */
export function convertMessages(value: unknown): Conversation {
  if (!Array.isArray(value)) throw invalid('messages', 'must be an array')
  const system: Fields[] = []
  const turns: { role: Turn['role']; content: Fields[] }[] = []
  let silent: string | null = null
  for (const [index, message] of value.entries()) {
    const { role, content } = convertMessage(message, `messages.${index}`)
    const last = turns.at(-1)
    if (role === 'system') system.push(...content)
    else if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content: [...content] })
    const isSilent = role === 'user' && content.length === 0 && last?.role !== role
    if (role !== 'system') silent = isSilent ? `messages.${index}.content` : null
  }
  if (turns.length === 0) throw invalid(silent ?? 'messages', 'must not be empty for this model')
  if (silent !== null) throw invalid(silent, 'must not be empty for this model when it comes last')
  return { system, messages: turns }
}

interface Converted {
  readonly role: Turn['role'] | 'system'
  readonly content: readonly Fields[]
}

function convertMessage(value: unknown, path: string): Converted {
  const message = asObject(value)
  if (message === null) throw invalid(path, 'must be an object')
  const rules = messageRules.get(message.role)
  if (rules === undefined) throw unsupported(`${path}.role`, 'it takes system, developer, user, assistant and tool')
  checkMembers(message, path, rules)
  const place = `${path}.content`
  switch (message.role) {
    case 'user':
      return { role: 'user', content: convertContent(message.content, place, ['text', 'image_url', 'file']) }
    case 'assistant':
      return { role: 'assistant', content: convertAssistant(message, path) }
    case 'tool':
      return { role: 'user', content: [convertResult(message, path)] }
    default:
      return { role: 'system', content: convertContent(message.content, place, ['text']) }
  }
}

function convertAssistant({ reasoning_details, content, refusal, tool_calls: calls }: Fields, path: string): Fields[] {
  const list = calls ?? []
  if (!Array.isArray(list)) throw invalid(`${path}.tool_calls`, 'must be an array')
  return [
    ...thoughtsOf(reasoning_details),
    ...convertContent(content, `${path}.content`, ['text', 'refusal']),
    ...convertContent(refusal, `${path}.refusal`, []),
    ...list.map((call, index) => convertCall(call, `${path}.tool_calls.${index}`)),
  ]
}

function convertCall(value: unknown, path: string): Fields {
  const call = asObject(value)
  const called = asObject(call?.function)
  if (call === null) throw invalid(path, 'must be an object')
  checkMembers(call, path, toolCallRules)
  if (called === null) throw invalid(`${path}.function`, 'must be an object')
  checkMembers(called, `${path}.function`, calledFunctionRules)
  const { name } = called
  if (typeof name !== 'string') throw invalid(`${path}.function.name`, 'must be a string')
  const input = readToolArguments(called.arguments, `${path}.function.arguments`)
  return { type: 'tool_use', id: callId(call.id, `${path}.id`), name, input }
}

function convertResult({ tool_call_id: id, content }: Fields, path: string): Fields {
  const blocks = convertContent(content, `${path}.content`, ['text', 'image_url', 'file'])
  const tool_use_id = callId(id, `${path}.tool_call_id`)
  return { type: 'tool_result', tool_use_id, ...(blocks.length === 0 ? {} : { content: blocks }) }
}

function callId(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(path, 'must be a non-empty string')
  return plainCallId(value)
}
