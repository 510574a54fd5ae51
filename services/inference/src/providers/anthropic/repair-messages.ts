import type { JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { exactMember } from '../../wire/json/exact-json.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { plainCallId } from '../plain-call-id.ts'
import { beganWithThought } from './thinking-history.ts'

/**
 * The edits that let Anthropic accept a conversation with answers of other models. Their thinking has no signature and
 * is removed. The ids of their calls may have characters that Anthropic refuses. A turn that began without thinking
 * continues without it. There are no edits for a conversation of Anthropic's own.
 */
export function repairMessages(request: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>): JsonEdits {
  const { messages, thinking } = request.body
  if (!Array.isArray(messages)) return {}
  const isForeign = messages.some((message) => blocksOf(message).some((block) => repaired(block)[0] !== block))
  const exact = isForeign ? exactMember(request, 'messages') : messages
  const repairedMessages = isForeign && Array.isArray(exact) ? exact.flatMap(repairMessage) : messages
  const mayThink = asObject(thinking)?.type !== 'enabled' || beganWithThought(repairedMessages)
  return {
    ...(isForeign ? { messages: JSON.stringify(repairedMessages) } : {}),
    ...(mayThink ? {} : { thinking: undefined }),
  }
}

function blocksOf(message: unknown): readonly unknown[] {
  const content = asObject(message)?.content
  return Array.isArray(content) ? content : []
}

function repairMessage(message: unknown): unknown[] {
  const blocks = blocksOf(message)
  if (blocks.length === 0) return [message]
  const content = blocks.flatMap(repaired)
  return content.length === 0 ? [] : [{ ...asObject(message), content }]
}

/** The block, unchanged if possible; nothing for unsigned thinking. */
function repaired(value: unknown): unknown[] {
  const block: Fields = asObject(value) ?? {}
  if (block.type === 'thinking') return block.signature === '' ? [] : [value]
  const member = idMembers.get(block.type)
  const id = member === undefined ? undefined : block[member]
  if (member === undefined || typeof id !== 'string' || id === '') return [value]
  const { extra_content: foreign, ...own } = block // the signature that Google adds to a call
  const clean = plainCallId(id)
  return clean === id && foreign === undefined ? [value] : [{ ...own, [member]: clean }]
}

const idMembers: ReadonlyMap<unknown, string> = new Map([
  ['tool_use', 'id'],
  ['tool_result', 'tool_use_id'],
])
