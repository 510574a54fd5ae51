import { asObject, type Fields } from '../../wire/chat/chat-chunk.ts'
import type { JsonEdits } from '../../wire/json/edit-json.ts'
import { exactMember } from '../../wire/json/exact-json.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { plainCallId } from '../plain-call-id.ts'
import { beganWithThought } from './thinking-history.ts'

/**
 * What has to change in a Messages body so that Anthropic takes a conversation which other models had a part in: their
 * thoughts have no signature and are left out, the ids of their calls may have characters that it refuses, and a turn
 * that they began without a thought is gone on with without one. Nothing for a conversation of Anthropic's own.
 */
export function mendMessages(request: Pick<ProviderRequest, 'bytes' | 'scan' | 'body'>): JsonEdits {
  const { messages, thinking } = request.body
  if (!Array.isArray(messages)) return {}
  const isForeign = messages.some((message) => blocksOf(message).some((block) => mended(block)[0] !== block))
  const exact = isForeign ? exactMember(request, 'messages') : messages
  const kept = isForeign && Array.isArray(exact) ? exact.flatMap(mendMessage) : messages
  const isCalm = asObject(thinking)?.type !== 'enabled' || beganWithThought(kept)
  return {
    ...(isForeign ? { messages: JSON.stringify(kept) } : {}),
    ...(isCalm ? {} : { thinking: undefined }),
  }
}

function blocksOf(message: unknown): readonly unknown[] {
  const content = asObject(message)?.content
  return Array.isArray(content) ? content : []
}

function mendMessage(message: unknown): unknown[] {
  const blocks = blocksOf(message)
  if (blocks.length === 0) return [message]
  const content = blocks.flatMap(mended)
  return content.length === 0 ? [] : [{ ...asObject(message), content }]
}

/** The block itself where nothing is to be changed; none for a thought that nobody signed. */
function mended(value: unknown): unknown[] {
  const block: Fields = asObject(value) ?? {}
  if (block.type === 'thinking') return block.signature === '' ? [] : [value]
  const member = idMembers.get(block.type)
  const id = member === undefined ? undefined : block[member]
  if (member === undefined || typeof id !== 'string' || id === '') return [value]
  const { extra_content: foreign, ...own } = block // Google's signature of a call
  const clean = plainCallId(id)
  return clean === id && foreign === undefined ? [value] : [{ ...own, [member]: clean }]
}

const idMembers: ReadonlyMap<unknown, string> = new Map([
  ['tool_use', 'id'],
  ['tool_result', 'tool_use_id'],
])
