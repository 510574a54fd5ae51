import { hash } from 'node:crypto'
import { asList, isObject } from '@ratchet/service-kit/values/json'
import type { ProviderRequest } from '../wire/provider.ts'
import { instructionsOf } from './instructions-of.ts'

/** Bytes of a body below which no provider caches its prompt: they start at 1,024 tokens. */
const minCachedBytes = 4_096

/**
 * The same for all turns of a conversation, and different for other conversations: a hash of the client's own
 * `prompt_cache_key`, the instructions and the first other message. Null when no provider would have the prompt in a cache.
 */
export function conversationKey({ dialect, body, bytes }: ProviderRequest): string | null {
  if (bytes.length < minCachedBytes) return null
  const turns = dialect === 'responses' ? body.input : body.messages
  const first = typeof turns === 'string' ? turns : asList(turns).find(isTurn)
  if (first === undefined) return null
  const beginning = [body.prompt_cache_key, instructionsOf(dialect, body), first]
  return hash('sha1', JSON.stringify(beginning), 'base64url')
}

function isTurn(message: unknown): boolean {
  return isObject(message) && message.role !== 'system' && message.role !== 'developer'
}
