import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { thoughtsOf } from '../../wire/signed-thoughts.ts'
import { checkMembers } from '../check-members.ts'
import { calledFunctionRules, toolCallRules } from '../common-members.ts'
import { plainCallId } from '../plain-call-id.ts'
import { readToolArguments } from '../tool-arguments.ts'
import type { Place } from './cache-point.ts'
import { messageRules } from './chat-parameters.ts'
import type { ContentBlock, ConverseMessage, SystemBlock } from './converse-body.ts'
import { convertContent, convertTexts } from './convert-content.ts'
import { reasoningBlock } from './signed-reasoning.ts'

export interface Conversation {
  readonly system: readonly SystemBlock[]
  readonly messages: readonly ConverseMessage[]
}

/**
 * Converts chat messages to Converse's form. System messages are separate, and roles alternate, so consecutive messages
 * of one role become one; tool results belong to the user. Messages without content are left out, because Bedrock
 * refuses them; only the last one must have content. A conversation that an answer begins gets a user's message before it.
 *
 * @throws Refusal when a message cannot be converted
 */
export function convertMessages(messages: unknown, caches: boolean): Conversation {
  if (!Array.isArray(messages)) throw invalid('messages', 'must be an array')
  const system: SystemBlock[] = []
  const turns: { role: ConverseMessage['role']; content: ContentBlock[] }[] = []
  for (const [index, value] of messages.entries()) {
    const path = `messages.${index}`
    const message = asObject(value)
    if (message === null) throw invalid(path, 'must be an object')
    const { role, content } = convertMessage(message, { path, caches })
    if (role === 'system') {
      system.push(...content)
      continue
    }
    if (role === 'user' && content.length === 0 && index === messages.length - 1) {
      throw invalid(`${path}.content`, 'must not be blank')
    }
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content: [...content] })
  }
  // A greeting of the assistant, for example: Bedrock takes no conversation that the user did not begin.
  const beginning: ConverseMessage[] =
    turns[0]?.role === 'assistant' ? [{ role: 'user', content: [{ text: '.' }] }] : []
  return { system, messages: [...beginning, ...turns] }
}

type Converted = { readonly role: 'system'; readonly content: readonly SystemBlock[] } | ConverseMessage

function convertMessage(message: Fields, place: Place): Converted {
  const { path, caches } = place
  const inside = { path: `${path}.content`, caches }
  switch (message.role) {
    case 'system':
    case 'developer':
      checkMembers(message, path, messageRules.system)
      return { role: 'system', content: convertTexts(message.content, inside) }
    case 'user':
      checkMembers(message, path, messageRules.user)
      return { role: 'user', content: convertContent(message.content, inside) }
    case 'assistant':
      checkMembers(message, path, messageRules.assistant)
      return { role: 'assistant', content: convertAssistant(message, place) }
    case 'tool':
      checkMembers(message, path, messageRules.tool)
      return { role: 'user', content: convertResult(message, place) }
    default:
      throw unsupported(`${path}.role`, 'it must be system, developer, user, assistant or tool')
  }
}

function convertAssistant(message: Fields, { path, caches }: Place): ContentBlock[] {
  const { reasoning_details, content, refusal, tool_calls: calls } = message
  const list = calls ?? []
  if (!Array.isArray(list)) throw invalid(`${path}.tool_calls`, 'must be an array')
  return [
    ...thoughtsOf(reasoning_details).map(reasoningBlock),
    ...convertContent(content, { path: `${path}.content`, caches }),
    ...(typeof refusal === 'string' && refusal.trim() !== '' ? [{ text: refusal }] : []),
    ...list.map((call, index) => convertCall(call, `${path}.tool_calls.${index}`)),
  ]
}

function convertCall(value: unknown, path: string): ContentBlock {
  const call = asObject(value)
  if (call === null) throw invalid(path, 'must be an object')
  checkMembers(call, path, toolCallRules)
  const called = asObject(call.function)
  if (called === null) throw invalid(`${path}.function`, 'must be an object')
  checkMembers(called, `${path}.function`, calledFunctionRules)
  return {
    toolUse: {
      toolUseId: plainCallId(nameAt(call.id, `${path}.id`)),
      name: nameAt(called.name, `${path}.function.name`),
      input: readToolArguments(called.arguments, `${path}.function.arguments`),
    },
  }
}

function convertResult({ tool_call_id: id, content }: Fields, { path, caches }: Place): ContentBlock[] {
  const blocks = convertContent(content, { path: `${path}.content`, caches })
  const isPoint = (block: ContentBlock) => 'cachePoint' in block
  const toolUseId = plainCallId(nameAt(id, `${path}.tool_call_id`))
  const result = { toolUseId, content: blocks.filter((block) => !isPoint(block)) }
  return [{ toolResult: result }, ...blocks.filter(isPoint).slice(0, 1)] // a tool result cannot contain a cache point
}

function nameAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(path, 'must be a non-empty string')
  return value
}
